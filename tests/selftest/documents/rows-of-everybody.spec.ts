import { type Answer, judgeDocument, newKey, notFound, tokenComponents } from '../support/document-server.js';
import { documentOf, operationOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/**
 * Rows that look like the owner's, and are not: the axis of a chart without data, rows that the
 * service makes for each answer, and what rows repeat of a product or a flight. Beside each is a
 * service that gives the owner's own.
 */

const key = newKey();
let made = 0;
const next = (): number => {
  made += 1;
  return made;
};

const orders = ['4417', '9920', '1873', '6604'].map((code, at) => ({
  kind: 'order',
  id: 71_235 + at * 7,
  placed: `2024-03-1${at}T07:45:10Z`,
  total: 212.5 + at * 31,
  note: `kestrel ${code}`,
}));
const theirs = orders.map((row) => ({ ...row, id: row.id + 3_117, total: row.total + 7.25, note: `plover ${row.id}` }));
const beats = (count: number): readonly object[] =>
  Array.from({ length: count }, () => ({ kind: 'beat', seq: 88_000 + next(), load: next() / 1_000 }));
const offers = (): readonly object[] =>
  ['spring', 'summer', 'autumn'].map((name, at) => ({
    kind: 'offer',
    id: `offer-${next()}-${next()}`,
    href: `https://shop.example.test/${name}-2024`,
    percent: 10 + at * 5,
  }));
const lines = (rows: readonly object[]): Answer => ({
  status: 200,
  type: 'application/x-ndjson',
  body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
});

const hours = (calls: (at: number) => number | null, errors: (at: number) => number | null = () => 0) =>
  Array.from({ length: 8 }, (_, at) => ({
    from: `2024-05-01T0${at}:00:00Z`,
    to: `2024-05-01T0${at}:59:59Z`,
    calls: calls(at),
    errors: errors(at),
  }));
// Nobody calls at night.
const own = hours(
  (at) => (at < 3 ? 0 : 113 + at * 37),
  (at) => at % 3,
);
const months = (amount: (at: number) => number | null) =>
  [1, 2, 3, 4, 5].map((at) => ({ month: `2024-0${at}`, start: `2024-0${at}-01`, amount: amount(at) }));
const products = ['Oak desk', 'Pine shelf', 'Ash stool', 'Elm bench'].map((title, at) => ({
  sku: `SKU-${4_410 + at * 7}`,
  title,
  price: 1_990 + at * 1_117,
  grams: 12_050 + at * 341,
}));
const cart = products.slice(0, 3).map((product, at) => ({ ...product, amount: at + 1 }));
const flights = [1, 2, 3, 4].map((at) => ({
  flight: `LH${440 + at * 20}`,
  departs: `2024-06-0${at}T09:2${at}:00Z`,
  arrives: `2024-06-0${at}T18:3${at}:00Z`,
}));
const bookings = flights.slice(0, 3).map((flight, at) => ({ ...flight, seat: `${12 + at}C` }));
const json = (body: unknown, status = 200): Answer => ({ status, body });

const cases: readonly (readonly [
  what: string,
  keyed: () => Answer,
  open: () => Answer,
  outcome: 'inconclusive' | 'failed',
])[] = [
  ['hours without calls', () => json(own), () => json(hours(() => 0)), 'inconclusive'],
  ['hours without calls in a 401', () => json(own), () => json({ hours: hours(() => 0) }, 401), 'inconclusive'],
  ['months without amounts', () => json(months((at) => at * 211.4)), () => json(months(() => null)), 'inconclusive'],
  ['hours with the calls of all', () => json(own), () => json(hours((at) => 9_113 + at * 371)), 'failed'],
  ['hours with the own calls', () => json(own), () => json(own.map(({ errors, ...row }) => row)), 'failed'],
  ['the products of a cart', () => json({ cart }), () => json({ popular: products }), 'inconclusive'],
  ['the same in a 401', () => json({ cart }), () => json({ popular: products }, 401), 'inconclusive'],
  ['the cart elsewhere', () => json({ cart }), () => json({ debug: { lines: cart } }, 401), 'failed'],
  ['all flights', () => json({ bookings }), () => json({ board: flights }), 'inconclusive'],
  [
    'all bookings',
    () => json({ bookings }),
    () => json({ all: [...bookings, { ...flights[3], seat: '1A' }] }),
    'failed',
  ],
  ['heartbeats', () => lines([...orders, ...beats(1)]), () => lines(beats(3)), 'inconclusive'],
  ['offers', () => json([...orders, ...offers()]), () => json(offers()), 'inconclusive'],
  ['orders of others', () => lines([...orders, ...beats(1)]), () => lines([...theirs, ...beats(1)]), 'failed'],
  ['an own order', () => json([...orders, ...offers()]), () => json([...orders.slice(1, 2), ...offers()]), 'failed'],
];

const document = documentOf({
  components: tokenComponents,
  paths: {
    '/things': { get: operationOf({ operationId: 'listThings', security: [{ key: [] }] }) },
    '/others': { get: operationOf({ operationId: 'listOthers', security: [{ key: [] }] }) },
  },
});

for (const [what, keyed, open, outcome] of cases)
  test(`${what} without a key: ${outcome}`, async () => {
    const run = await judgeDocument(
      document,
      ({ path, headers }) => {
        const isKeyed = headers.authorization === `Token ${key}`;
        if (path === '/things') return isKeyed ? keyed() : open();
        if (path === '/others') return isKeyed ? json(theirs) : json({ detail: 'No key.' }, 401);
        return notFound;
      },
      { settings: { API_KEY: key }, only: ['refuses-missing-key'] },
    );
    const check = run.check('refuses-missing-key@listThings');
    expect(check.outcome, check.reason).toBe(outcome);
  });
