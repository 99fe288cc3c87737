import net, { type AddressInfo } from 'node:net';
import { type Certificate, certificate, expired } from '../support/certificates.js';
import {
  type Answer,
  type Asked,
  judgeDocument,
  newKey,
  notFound,
  serving,
  things,
  tokenComponents,
  unauthorized,
} from '../support/document-server.js';
import { withFiles } from '../support/documents.js';
import { judgeRunning } from '../support/judge.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * Deployments that change during a run, and several servers behind one name that do not answer
 * alike.
 */

const key = newKey();

const answers = { responses: { default: { description: 'Not stated.' } } };

const document = {
  openapi: '3.1.0',
  info: { title: 'Several servers', version: '1' },
  paths: {
    '/things': { get: { operationId: 'listThings', security: [{ key: [] }], ...answers } },
    '/news': { get: { operationId: 'listNews', security: [], ...answers } },
  },
  components: tokenComponents,
};

const news: Answer = { status: 200, body: { news: [{ title: 'We have moved', day: '2026-02-01' }] } };
const unavailable: Answer = { status: 502, type: 'text/html', body: '<h1>Bad Gateway</h1>' };

const isKeyed = ({ headers }: Asked): boolean => headers.authorization === `Token ${key}`;

/** The reasons of checks that were not judged, so that a failure of a test shows them. */
const unjudged = ({ checks }: { readonly checks: readonly { id: string; outcome: string; reason: string }[] }) =>
  checks.flatMap(({ id, outcome, reason }) =>
    outcome === 'inconclusive' || outcome === 'blocked' || outcome === 'failed' ? [`${id}: ${outcome}: ${reason}`] : [],
  );

/** A service that keeps its contract. */
const conforming = (asked: Asked): Answer => {
  if (asked.path === '/news') return news;
  if (asked.path !== '/things') return notFound;
  return isKeyed(asked) ? { status: 200, body: things } : unauthorized;
};

const open = (asked: Asked): Answer => (asked.path === '/things' ? { status: 200, body: things } : conforming(asked));

const judged = (handler: (asked: Asked, count: number) => Answer) => {
  let count = 0;
  return judgeDocument(
    document,
    (asked) => {
      count += 1;
      return handler(asked, count);
    },
    { settings: { API_KEY: key } },
  );
};

test('what stays open after a read with the key is told once, and little more is asked', async () => {
  let wasOpened = false;
  const run = await judged((asked) => {
    if (asked.path === '/things' && isKeyed(asked)) wasOpened = true;
    return wasOpened ? open(asked) : conforming(asked);
  });
  expect(run.failedClauses).toEqual(['AUTH-3']);
  const failed = run.results.checks.filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ rule }) => rule)).toEqual(['refuses-leftovers']);
  const kept = await judged(conforming);
  expect(run.results.requestsSent).toBeLessThan(kept.results.requestsSent * 2);
});

test('what came before an answer broke off is not taken back by a later refusal', inCi, async () => {
  const rows = { things: ['first', 'second'].map((name, index) => ({ code: `A-471${index}-XY`, name, weight: 80.5 })) };
  let asked = 0;
  const run = await judged((one) => {
    if (one.path === '/things' && isKeyed(one)) return { status: 200, body: rows };
    const isTaken = one.path === '/things' && one.headers.authorization === 'Token null';
    if (isTaken) asked += 1;
    const closesAfter = JSON.stringify(rows).indexOf('XY') + 4;
    return isTaken && asked <= 6 ? { status: 200, body: rows, closesAfter } : conforming(one);
  });
  const { outcome, reason } = run.check('refuses-worthless-keys');
  expect(asked).toBeGreaterThanOrEqual(6);
  expect(outcome, reason).toBe('inconclusive');
});

test('one server of ten that lacks the check is told as that, not by the trick that met it', async () => {
  const { results } = await judged((asked, count) => (count % 10 === 0 ? open : conforming)(asked));
  expect(results.verdict).toBe('non-conformant');
  const failures = results.checks.filter(({ outcome }) => outcome === 'failed');
  expect(failures.map(({ cause }) => cause?.id)).toContain('opens-now-and-then');
  expect(results.causes?.[0]?.title).toBe('GET /things opens to anybody now and then');
  expect(results.causes?.[0]?.curl).toEqual([
    expect.stringMatching(/^for _ in \$\(seq 24\); do curl .*\/things; done$/),
  ]);
  expect(failures.find(({ cause }) => cause?.id === 'opens-now-and-then')?.reason).toMatch(
    /now and then: of 24 equal requests, \d+ got 200, .* One of several servers may not check the key, or /,
  );
});

test(
  'a server that takes any credentials, and is met with the right key in another form alone, is found',
  inCi,
  async () => {
    // The keyed connections lead to it, and of those without a key each fourth one.
    const { results } = await judged((asked, count) => {
      const isMet = asked.headers.authorization?.includes(key) ? count % 2 === 0 : count % 4 === 0;
      return (isMet ? open : conforming)(asked);
    });
    expect(results.verdict).toBe('non-conformant');
    expect(results.checks.filter(({ outcome }) => outcome === 'lenient')).toEqual([]);
  },
);

test(
  'what opens after reads with the key is not laid to these where it opens now and then without them',
  inCi,
  async () => {
    const causeOf = async (opensTo: (count: number) => boolean) => {
      const keyed = new Set<string>();
      const { results } = await judged((asked, count) => {
        const query = String(asked.query);
        if (query !== '' && isKeyed(asked)) keyed.add(query);
        return keyed.has(query) || (query !== '' && opensTo(count)) ? open(asked) : conforming(asked);
      });
      return results.checks.find(({ id }) => id === 'refuses-leftovers@listThings')?.cause?.id;
    };
    expect(await causeOf((count) => count % 3 === 0)).toBe('opens-now-and-then');
    expect(await causeOf(() => false)).toBe('opens-by-bypass');
  },
);

test('what a cache gives by some of its nodes after reads with the key is told once', inCi, async () => {
  const kept = new Set<string>();
  let plain = 0;
  const { results } = await judged((asked) => {
    const url = `${asked.path}?${asked.query}`;
    if (isKeyed(asked)) kept.add(url);
    if (isKeyed(asked) || !kept.has(url)) return conforming(asked);
    if (String(asked.query) !== '') return open(asked);
    plain += 1;
    return (plain % 3 === 0 ? open : conforming)(asked);
  });
  expect(results.verdict).toBe('non-conformant');
  const failures = results.checks.filter(({ outcome }) => outcome === 'failed');
  expect(failures.map(({ id }) => id)).toEqual(['refuses-leftovers@listThings']);
});

test('an empty answer that some of several servers give to anybody is laid to no trick', inCi, async () => {
  const empty: Answer = { status: 200, body: [] };
  const failures = async (isOpen: (asked: Asked, count: number) => boolean) => {
    const { results } = await judged((asked, count) =>
      asked.path === '/things' && (isKeyed(asked) || isOpen(asked, count)) ? empty : conforming(asked),
    );
    return results.checks.filter(({ outcome }) => outcome === 'failed').map(({ cause }) => cause?.id);
  };
  expect(await failures((_, count) => count % 3 === 0)).toEqual([]);
  expect(await failures(({ headers }) => headers['x-forwarded-for'] === '10.0.0.1')).toContain('opens-by-bypass');
});

test('two versions with different formats are judged', async () => {
  const other: Answer = { status: 200, body: { data: { rows: things.results, version: 2 } } };
  const { results } = await judged((asked, count) =>
    isKeyed(asked) && asked.path === '/things' && count % 2 === 0 ? other : conforming(asked),
  );
  expect(unjudged(results)).toEqual([]);
  expect(results.verdict).toBe('conformant');
});

test('two versions with different formats, both open, are found', inCi, async () => {
  const other: Answer = { status: 200, body: { data: { rows: things.results, version: 2 } } };
  const { results } = await judged((asked, count) =>
    asked.path === '/things' && count % 2 === 0 ? other : open(asked),
  );
  expect(results.verdict).toBe('non-conformant');
});

test('another format from the middle of the run on accuses nobody, and hides no refusal', inCi, async () => {
  const other: Answer = { status: 200, body: { data: { rows: things.results, version: 2 } } };
  const { results } = await judged((asked, count) =>
    count > 100 && isKeyed(asked) && asked.path === '/things' ? other : conforming(asked),
  );
  expect(unjudged(results)).toEqual([]);
  expect(results.verdict).toBe('conformant');
});

test('one server of ten that is broken stops no judgement', async () => {
  const { results } = await judged((asked, count) =>
    count % 10 === 0 ? { status: 500, body: { error: 'database' } } : conforming(asked),
  );
  expect(unjudged(results)).toEqual([]);
  expect(results.verdict).toBe('conformant');
});

test('waits while the service is out, and asks again what it missed', inCi, async () => {
  const { results, requests } = await judged((asked, count) =>
    count > 90 && count <= 170 ? unavailable : conforming(asked),
  );
  expect(unjudged(results)).toEqual([]);
  expect(results.verdict).toBe('conformant');
  expect(requests.length).toBeLessThan(600);
});

test('connections that are closed for a moment are no refusals', inCi, async () => {
  let closed = 0;
  const { results } = await judged((asked) => {
    if (asked.headers['x-forwarded-for'] === undefined) return conforming(asked);
    closed += 1;
    return closed <= 30 ? { status: 0, closes: true } : open(asked);
  });
  expect(results.verdict).toBe('non-conformant');
});

test('connections that are closed at each odd request stay refusals', inCi, async () => {
  const { results } = await judged((asked) =>
    asked.headers['x-forwarded-for'] === undefined ? conforming(asked) : { status: 0, closes: true },
  );
  expect(unjudged(results)).toEqual([]);
  expect(results.verdict).toBe('conformant');
});

test('a key that two servers of three do not know is not taken for one in another format', inCi, async () => {
  let documented = 0;
  const { results } = await judged((asked) => {
    if (asked.path !== '/things') return conforming(asked);
    if (isKeyed(asked)) documented += 1;
    const isTaken = isKeyed(asked) ? documented % 6 === 0 : asked.headers.authorization === `Bearer ${key}`;
    return isTaken ? { status: 200, body: things } : unauthorized;
  });
  expect(results.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect(results.verdict).toBe('incomplete');
});

test('a broken server of three is not taken for one that asks for a key at a public resource', inCi, async () => {
  let publics = 0;
  const { results } = await judged((asked) => {
    if (asked.path !== '/news') return conforming(asked);
    publics += 1;
    // The first reads without a key meet it, and of those with the key a later one.
    const isMet = isKeyed(asked) ? publics > 12 : publics % 2 === 1;
    return isMet ? notFound : news;
  });
  expect(results.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
});

/** Judges two servers with the same answers, of which the second takes one connection of this many. */
const judgedWith = (other: Certificate, oneIn: number) =>
  serving(conforming, (first) =>
    serving(
      conforming,
      async (second) => {
        let count = 0;
        const balancer = net.createServer((client) => {
          count += 1;
          const { port } = new URL((count % oneIn === 0 ? second : first).baseUrl);
          const server = net.connect({ port: Number(port), host: '127.0.0.1' });
          for (const socket of [client, server]) socket.on('error', () => {});
          client.pipe(server).pipe(client);
        });
        await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
        const { port } = balancer.address() as AddressInfo;
        try {
          return await withFiles({ 'openapi.yaml': document, 'ca.pem': first.cert + second.cert }, (path) =>
            judgeRunning(
              { baseUrl: `https://127.0.0.1:${port}`, caFile: path('ca.pem') },
              { contract: path('openapi.yaml'), settings: { HTTP_BASE_URL: 'none', API_KEY: key } },
            ),
          );
        } finally {
          balancer.close();
        }
      },
      other,
    ),
  );

test('an expired certificate of one server breaks HTTPS-1, whichever check met it', async () => {
  const { results, check } = await judgedWith(await expired(), 5);
  expect(check('serves-https').reason).toMatch(/^The certificate expired on .* Not on every connection/);
  expect(results.clauses.find(({ id }) => id === 'HTTPS-1')?.outcome).toBe('failed');
});

test('another good certificate of one server breaks nothing', inCi, async () => {
  expect((await judgedWith(await certificate({ commonName: 'second server' }), 3)).check('serves-https').outcome).toBe(
    'passed',
  );
});
