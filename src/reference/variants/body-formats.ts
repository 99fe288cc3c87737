import { randomUUID } from 'node:crypto';
import { type Override, type Page, pageOf, publicAs, workoutsAs } from '../behaviour.js';
import { workoutsOf } from '../data.js';
import { combine, showing, shownAs, type VariantDefinition, variant, withNames } from '../definitions.js';
import { type Answer, html, json, text } from '../messages.js';

/** Variants with other body formats, which the contract leaves open. */

const escapeXml = (value: unknown): string =>
  String(value).replace(/[<>&"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

const xmlOf = (name: string, value: unknown): string => {
  if (Array.isArray(value)) return `<${name}>${value.map((item) => xmlOf('item', item)).join('')}</${name}>`;
  if (typeof value !== 'object' || value === null)
    return value === null ? `<${name}/>` : `<${name}>${escapeXml(value)}</${name}>`;
  return `<${name}>${Object.entries(value)
    .map(([member, inner]) => xmlOf(member, inner))
    .join('')}</${name}>`;
};

const csvOf = (records: readonly Readonly<Record<string, unknown>>[]): string =>
  [Object.keys(records[0] ?? {}), ...records.map((record) => Object.values(record))]
    .map((row) => row.map((cell) => `"${JSON.stringify(cell).replaceAll('"', '""')}"`).join(','))
    .join('\r\n');

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

const asJsonWith = (value: unknown, mediaType: string): Answer => text(200, JSON.stringify(value), mediaType);

const inHtml = (results: readonly Readonly<Record<string, unknown>>[]): Answer =>
  html(
    200,
    'List',
    `<meta name="csrf" content="${randomUUID()}"><table>${results
      .map(
        (record) =>
          `<tr>${Object.values(record)
            .map((cell) => `<td>${escapeXml(JSON.stringify(cell))}</td>`)
            .join('')}</tr>`,
      )
      .join('')}</table>`,
  );

/** Renders each read of the workouts by its number; `turn` counts from 1 for each service. */
const byTurn =
  (show: (page: Page, turn: number) => Answer | object): Override =>
  (base, service) => {
    let turn = 0;
    const shown = shownAs((page) => show(page, turn))(base, service);
    return {
      represent: (call, resource, owner) => {
        if (resource !== 'workout') return base.represent(call, resource, owner);
        turn += 1;
        return shown.represent?.(call, resource, owner) ?? base.represent(call, resource, owner);
      },
    };
  };

export const bodyFormatVariants = withNames<VariantDefinition>({
  'volatile-members': showing('Every answer carries a moment, an identifier and a duration of its own.', (page) => ({
    served_at: new Date().toISOString(),
    request_id: randomUUID(),
    took_ms: Math.random() * 20,
    ...page,
  })),
  'volatile-order': showing('Lists come in another order each time.', (page) => ({
    ...page,
    results: shuffled(page.results),
  })),
  'counts-reads': variant(
    'Every answer counts how often the list was read.',
    byTurn((page, reads) => ({ ...page, reads })),
  ),
  'nullable-members': variant(
    'Members are null in every second answer.',
    byTurn((page, turn) => ({
      ...page,
      results: page.results.map((record) => ({ ...record, ...(turn % 2 === 0 ? { comment: null, name: null } : {}) })),
    })),
  ),
  'optional-members': showing('Members without a value are left out, other ones in each record.', (page) => ({
    ...page,
    results: page.results.map((record, index) =>
      Object.fromEntries(Object.entries(record).filter((_, member) => member < 2 || (member + index) % 3 !== 0)),
    ),
  })),
  'bare-array': showing('A list is a JSON array.', ({ results }) => json(200, results)),
  'single-record': showing('The resource is one record, the last one.', ({ results }) => json(200, results.at(-1))),
  hal: showing('Answers in HAL.', ({ count, next, results }, { target }, resource) => ({
    _links: { self: { href: target }, ...(next === null ? {} : { next: { href: next } }) },
    _embedded: {
      [resource]: results.map((record) => ({ ...record, _links: { self: { href: `${target}${record.id}/` } } })),
    },
    total: count,
  })),
  'json-api': showing('Answers in JSON:API.', ({ count, next, results }, _call, type) =>
    asJsonWith(
      {
        jsonapi: { version: '1.1' },
        data: results.map(({ id, ...attributes }) => ({ type, id: String(id), attributes })),
        links: { next },
        meta: { count },
      },
      'application/vnd.api+json',
    ),
  ),
  odata: showing('Answers in OData.', ({ count, results }, _call, resource) => ({
    '@odata.context': `$metadata#${resource}`,
    '@odata.count': count,
    value: results,
  })),
  'keyed-by-id': showing('A list is an object with identifiers as member names.', ({ results }) => ({
    records: Object.fromEntries(results.map(({ id, ...record }) => [String(id), record])),
  })),
  'columns-and-rows': showing('A list is a row of column names and rows of values.', ({ results }) => ({
    columns: Object.keys(results[0] ?? {}),
    rows: results.map((record) => Object.values(record)),
  })),
  ndjson: showing('A list is one JSON object a line.', ({ results }) =>
    text(200, results.map((record) => `${JSON.stringify(record)}\n`).join(''), 'application/x-ndjson'),
  ),
  xml: showing('Answers in XML.', (page) =>
    text(200, `<?xml version="1.0" encoding="UTF-8"?>\n${xmlOf('page', page)}`, 'application/xml; charset=utf-8'),
  ),
  csv: showing('Answers in CSV.', ({ results }) => text(200, csvOf(results), 'text/csv; charset=utf-8')),
  'csv-with-clock': showing('Answers in CSV, with the moment in a first line.', ({ results }) =>
    text(200, `# ${new Date().toISOString()}\r\n${csvOf(results)}`, 'text/csv; charset=utf-8'),
  ),
  'xml-grows': variant(
    'Answers in XML; the list grows with every read.',
    byTurn((page, turn) =>
      text(
        200,
        xmlOf('page', [
          ...page.results,
          ...Array.from({ length: turn }, (_, index) => ({ read: `read ${index} before` })),
        ]),
        'application/xml; charset=utf-8',
      ),
    ),
  ),
  'plain-text': showing('Answers in plain text.', ({ results }) =>
    text(200, results.map((record) => Object.values(record).map(String).join(' · ')).join('\n')),
  ),
  html: showing('Answers in HTML, with a form token that changes.', ({ results }) => inHtml(results)),
  'html-and-login-page': variant(
    'Answers in HTML, and refuses with a log-in page and status 200.',
    combine(
      shownAs(({ results }) => inHtml(results)),
      () => ({
        refuse: () => html(200, 'Log in', `<form method="post"><input name="token" value="${randomUUID()}"></form>`),
      }),
    ),
    { verdict: 'incomplete' },
  ),
  binary: showing('Answers in a binary format.', (page) => ({
    ...text(200, '', 'application/octet-stream'),
    body: Buffer.from(JSON.stringify(page)).map((byte) => byte ^ 0xa5),
  })),
  'json-as-text': showing('Labels its JSON text/plain.', (page) => asJsonWith(page, 'text/plain')),
  'json-as-html': showing('Labels its JSON text/html.', (page) => asJsonWith(page, 'text/html')),
  'json-without-type': showing('Sends its JSON without a media type.', (page) => ({
    status: 200,
    headers: [],
    body: JSON.stringify(page),
  })),
  'json-in-latin-1': showing('Sends its JSON in ISO 8859-1.', (page) => ({
    status: 200,
    headers: [['Content-Type', 'application/json; charset=iso-8859-1']],
    body: Buffer.from(JSON.stringify(page), 'latin1'),
  })),
  'json-after-prefix': showing('Puts a line in front of its JSON that no script can run.', (page) =>
    text(200, `)]}',\n${JSON.stringify(page)}`, 'application/json'),
  ),
  'json-after-mark': showing('Puts a byte order mark in front of its JSON.', (page) =>
    text(200, `\ufeff${JSON.stringify(page)}`, 'application/json'),
  ),
  'json-pretty': showing('Indents its JSON.', (page) =>
    text(200, `${JSON.stringify(page, null, 2)}\n`, 'application/json'),
  ),
  'long-list': variant('The list is long and comes without pages.', (base) => ({
    represent: (call, resource, owner) =>
      resource === 'workout' && owner !== undefined
        ? json(200, {
            results: Array.from({ length: 400 }, (_, index) => ({
              ...workoutsOf('mara')[index % 12],
              id: 700_000 + index,
              minutes: 20 + (index % 60),
            })),
          })
        : base.represent(call, resource, owner),
  })),
  'owner-has-none': variant('The key’s owner has no workouts yet.', (base) => ({
    represent: (call, resource) => base.represent(call, resource, 'nobody'),
  })),
  'owner-has-none-bare': variant(
    'The key’s owner has no workouts yet, and a list is a JSON array.',
    workoutsAs(() => json(200, [])),
  ),
  'owner-has-none-and-error-in-list': variant(
    'The key’s owner has no workouts yet, and a list is a JSON array; refuses with status 200 and an error in it.',
    combine(
      workoutsAs(() => json(200, [])),
      () => ({ refuse: () => json(200, [{ error: 'A key is needed.', code: 401 }]) }),
    ),
    { verdict: 'incomplete' },
  ),
  'owner-has-one': variant(
    'The key’s owner has one workout.',
    workoutsAs((_, { httpsOrigin }) => json(200, pageOf(workoutsOf('mara').slice(0, 1), httpsOrigin))),
  ),
  'everybodys-list': variant(
    'The key opens the workouts of all users, each with its owner.',
    workoutsAs((_, { httpsOrigin }) => {
      const workouts = ['mara', 'tomas'].flatMap((user) => workoutsOf(user).map((workout) => ({ user, ...workout })));
      return json(200, pageOf(workouts, httpsOrigin));
    }),
  ),
  'numbers-only': variant(
    'The workouts are a few numbers, none of them unlikely.',
    workoutsAs(() => json(200, { workouts: 12, minutes: 640, sets: 36 })),
  ),
  'public-is-empty': variant(
    'There are no exercises and no ingredients yet.',
    publicAs((_, { httpsOrigin }) => json(200, pageOf([], httpsOrigin))),
  ),
  'text-refusal-with-200': variant(
    'Answers in CSV, and refuses with status 200 and another CSV.',
    combine(
      shownAs(({ results }) => text(200, csvOf(results), 'text/csv')),
      () => ({ refuse: () => text(200, '"problem"\r\n"a key is needed"', 'text/csv') }),
    ),
  ),
  'reads-disagree': variant(
    'Every read has another structure, so that there is nothing to compare with.',
    byTurn((page, turn) => ({ [`part${turn}`]: page.results })),
    { verdict: 'incomplete' },
  ),
  'two-versions': variant(
    'Two versions of the service take turns, and each has its own structure.',
    byTurn((page, turn) => (turn % 2 === 0 ? { data: { rows: page.results, version: 2 } } : page)),
  ),
});
