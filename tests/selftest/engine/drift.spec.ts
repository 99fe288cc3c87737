import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { baselineText } from '../../../src/app/prepare.js';
import { loadContract } from '../../../src/contract/load.js';
import { type Baseline, driftOf } from '../../../src/engine/facts.js';
import type { FactResult } from '../../../src/engine/results.js';
import { packageRoot } from '../../../src/package.js';
import { proposalOf } from '../../../src/proposal/proposal.js';
import { overlayText, proposalPage } from '../../../src/proposal/proposal-page.js';
import { compareRuns } from '../../../src/report/compare.js';
import { driftWords } from '../../../src/report/describe-finding.js';
import {
  type Answer,
  type Asked,
  type DocumentRun,
  type Handler,
  judgeDocument,
  newKey,
  notFound,
  things,
  unauthorized,
} from '../support/document-server.js';
import { withFiles } from '../support/documents.js';
import type { JudgeOptions } from '../support/judge.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';

/**
 * What was seen of a silent contract, proposed as contract and kept as baseline; then twenty and
 * more changes of the service.
 */

const silent = { responses: { default: { description: 'silent' } } };
const document = {
  openapi: '3.1.1',
  info: { title: 'Things', version: '1' },
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/v2/things': { get: { operationId: 'listThings', security: [{ key: [] }], ...silent } },
    '/v2/news': { get: { operationId: 'listNews', security: [], ...silent } },
  },
};

const key = newKey();
const news = { items: [{ title: 'a first item', at: '2024-01-01T10:00:00Z', stars: 3 }] };

/** The answers of the service; a change replaces some of them. */
interface Service {
  readonly things: Answer;
  readonly news: Answer;
  readonly refusal: Answer;
  /** Every other request. */
  readonly other?: (asked: Asked, opens: boolean) => Answer | undefined;
}

const asItWas: Service = {
  things: { status: 200, body: things, headers: { 'cache-control': 'no-store', vary: 'Authorization' } },
  news: { status: 200, body: news },
  refusal: { ...unauthorized, headers: { 'www-authenticate': 'Bearer realm="things"' } },
};

const handlerOf =
  (service: Service): Handler =>
  (asked) => {
    const opens = asked.headers.authorization === `Bearer ${key}`;
    const other = service.other?.(asked, opens);
    if (other) return other;
    if (asked.path === '/v2/news') return service.news;
    if (asked.path !== '/v2/things') return notFound;
    return opens ? service.things : service.refusal;
  };

const judge = (service: Service, options: JudgeOptions = {}): Promise<DocumentRun> =>
  judgeDocument(document, handlerOf(service), {
    ...options,
    settings: { API_KEY: key, HTTP_BASE_URL: 'none', ...options.settings },
  });

const withMember = (name: string, value: unknown) => ({
  ...asItWas.things,
  body: { ...things, results: things.results.map((row) => ({ ...row, [name]: value })) },
});

interface Change {
  readonly service: Partial<Service>;
  /** Clauses of the proposed contract that it breaks. */
  readonly breaks: readonly string[];
  /** Facts that are not as the baseline says, and what is said of the first. */
  readonly drift: readonly string[];
  readonly words: RegExp;
}

const { count: _count, ...withoutCount } = things;

const changes: Readonly<Record<string, Change>> = {
  'another status with the key': {
    service: { things: { ...asItWas.things, status: 203 } },
    breaks: ['DOC-1'],
    drift: ['answer@listThings'],
    words: /^status was 200, is 203$/,
  },
  'another media type': {
    service: { things: { ...asItWas.things, type: 'application/vnd.things+json' } },
    breaks: ['DOC-2'],
    drift: ['answer@listThings'],
    words: /^mediaType was application\/json, is application\/vnd.things\+json$/,
  },
  'a member is gone': {
    service: { things: { ...asItWas.things, body: withoutCount } },
    breaks: ['DOC-2'],
    drift: ['schema@listThings'],
    words: /^count is gone, required was/,
  },
  'a number is text': {
    service: { things: withMember('id', 'a-71235') },
    breaks: ['DOC-2'],
    drift: ['schema@listThings'],
    words: /^results\[\]\.id\.type was integer, is string$/,
  },
  'a whole number has a fraction': {
    service: { things: { ...asItWas.things, body: { ...things, count: 3.5 } } },
    breaks: ['DOC-2'],
    drift: ['schema@listThings'],
    words: /^count\.type was integer, is number$/,
  },
  'a member is null': {
    service: { things: withMember('name', null) },
    breaks: ['DOC-2'],
    drift: ['schema@listThings'],
    words: /^results\[\]\.name\.type was string, is null$/,
  },
  'a row lacks a member': {
    service: { things: withMember('secret', undefined) },
    breaks: ['DOC-2'],
    drift: ['schema@listThings'],
    words: /results\[\]\.secret is gone/,
  },
  'a list without its envelope': {
    service: { things: { ...asItWas.things, body: things.results } },
    breaks: ['DOC-2'],
    drift: ['schema@listThings'],
    words: /type was object, is array/,
  },
  'another status of the public resource': {
    service: { news: { ...asItWas.news, status: 203 } },
    breaks: ['DOC-1'],
    drift: ['answer@listNews'],
    words: /^status was 200, is 203$/,
  },
  'another member of the public resource': {
    service: { news: { status: 200, body: { entries: news.items } } },
    breaks: ['DOC-2'],
    drift: ['schema@listNews'],
    words: /entries is new/,
  },
  'another type in the public resource': {
    service: { news: { status: 200, body: { items: [{ ...news.items[0], stars: 'three' }] } } },
    breaks: ['DOC-2'],
    drift: ['schema@listNews'],
    words: /^items\[\]\.stars\.type was integer, is string$/,
  },
  'another status of the refusal': {
    service: { refusal: { ...asItWas.refusal, status: 403 } },
    breaks: ['DOC-3'],
    drift: ['refusal-without-key@listThings'],
    words: /status was 401, is 403/,
  },
  'another media type of the refusal': {
    service: { refusal: { ...asItWas.refusal, type: 'text/plain', body: 'No.' } },
    breaks: ['DOC-3'],
    drift: ['refusal-without-key@listThings'],
    words: /mediaType was application\/json, is text\/plain/,
  },
  'another member of the refusal': {
    service: { refusal: { ...asItWas.refusal, body: { error: 'No credentials were given.' } } },
    breaks: ['DOC-3'],
    drift: ['refusal-without-key@listThings'],
    words: /body\.detail is gone|body\.error is new/,
  },
  'a redirect instead of the refusal': {
    service: { refusal: { status: 302, headers: { location: '/login' } } },
    breaks: ['DOC-3'],
    drift: ['refusal-without-key@listThings'],
    words: /status was 401, is 302/,
  },
  'no challenge': {
    service: { refusal: unauthorized },
    breaks: ['DOC-3'],
    drift: ['refusal-without-key@listThings'],
    words: /^challenges is gone$/,
  },
  'another Cache-Control': {
    service: { things: { ...asItWas.things, headers: { 'cache-control': 'public', vary: 'Authorization' } } },
    breaks: [],
    drift: ['caching@listThings'],
    words: /^cache-control was \["no-store"\], is \["public"\]$/,
  },
  'no Vary': {
    service: { things: { ...asItWas.things, headers: { 'cache-control': 'no-store' } } },
    breaks: [],
    drift: ['caching@listThings'],
    words: /^vary was \["authorization"\], is \[\]$/,
  },
  'a rate limit': {
    service: { news: { ...asItWas.news, headers: { 'ratelimit-limit': '100' } } },
    breaks: [],
    drift: ['limits@listNews'],
    words: /^it was \[\], is \["ratelimit-limit: 100"\]$/,
  },
  'one more member': {
    service: { things: withMember('colour', 'green') },
    breaks: [],
    drift: ['schema@listThings'],
    words: /results\[\]\.colour is new/,
  },
  'a cookie': {
    service: { things: { ...asItWas.things, headers: { ...asItWas.things.headers, 'set-cookie': 'seen=1; Secure' } } },
    breaks: [],
    drift: ['session@listThings'],
    words: /setsCookie was false, is true/,
  },
  'another version beside': {
    service: { other: ({ path }, opens) => (path === '/v1/things' && opens ? asItWas.things : undefined) },
    breaks: [],
    drift: ['neighbour:/v1/things@listThings'],
    words: /^status was 404, is 200$/,
  },
  'one more method': {
    service: { things: { ...asItWas.things, headers: { ...asItWas.things.headers, allow: 'POST, GET' } } },
    breaks: [],
    drift: ['methods@listThings'],
    words: /^it was \[\], is \["GET","POST"\]$/,
  },
  'methods told to nobody': {
    service: {
      other: ({ method, path }) =>
        method === 'OPTIONS' && path === '/v2/things' ? { status: 204, headers: { allow: 'GET, DELETE' } } : undefined,
    },
    breaks: [],
    drift: ['methods-by-options@listThings'],
    words: /^methods was \[\], is \["DELETE","GET"\], status was 401, is 204$/,
  },
  'one more place for the key': {
    service: {
      other: ({ path, headers }) =>
        path === '/v2/things' && headers['x-api-key'] === key ? asItWas.things : undefined,
    },
    breaks: [],
    drift: ['takes-key-nowhere-else@listThings'],
    words: /^it was \[\], is \["X-API-Key: <key>"\]$/,
  },
};

/** What two runs saw of the service as it was. */
let seen: { readonly run: DocumentRun; readonly baseline: Baseline; readonly overlay: string } | undefined;

test.describe.configure({ mode: 'serial' });

test('two runs see the same, propose it as contract, and hold nobody’s data', async () => {
  const [first, second] = [await judge(asItWas), await judge(asItWas)];
  expect(first.results.verdict).toBe('conformant');
  const values = ({ results }: DocumentRun) => results.facts?.map(({ id, value }) => [id, value]);
  expect(values(second)).toEqual(values(first));
  const baseline = baselineText(first.results);
  expect(baselineText(second.results)).toBe(baseline);

  const proposal = await withFiles({ 'openapi.yaml': document }, async (path) =>
    proposalOf(await loadContract(path('openapi.yaml'), { keys: ['API_KEY'] }), [first.results, second.results]),
  );
  expect(proposal.actions.filter(({ doubt }) => doubt !== undefined)).toEqual([]);
  const overlay = overlayText(proposal);
  const texts = [baseline, overlay, proposalPage(proposal)].join('\n');
  const data = things.results.flatMap(({ id, added, name, secret }) => [String(id), added, name, secret]);
  for (const secret of [key, ...data]) expect(texts).not.toContain(secret);
  expect(overlay).not.toMatch(/\b(?:enum|const|default|example|pattern|minimum|maximum):/);
  seen = { run: first, baseline: { ...JSON.parse(baseline), fails: true }, overlay };
});

test('the proposed overlay is valid by another reader of the Overlay Specification', inCi, async () => {
  const redocly = join(packageRoot, 'node_modules', '.bin', 'redocly');
  await withFiles({ 'proposed.overlay.yaml': seen?.overlay ?? '' }, async (path) => {
    const { stderr } = await promisify(execFile)(redocly, ['lint', '--extends', 'spec', path('proposed.overlay.yaml')]);
    expect(stderr).toContain('description is valid');
  });
});

const again = (service: Service, { settings, ...options }: JudgeOptions = {}): Promise<DocumentRun> => {
  if (!seen) throw new Error('the first test makes the proposal');
  const { baseline, overlay } = seen;
  return withFiles({ 'proposed.overlay.yaml': overlay }, (path) =>
    judge(service, { ...options, baseline, settings: { OVERLAY: path('proposed.overlay.yaml'), ...settings } }),
  );
};

test('the service as it was keeps the proposed contract, and has not drifted', async () => {
  const run = await again(asItWas);
  expect(run.results.drift).toEqual([]);
  expect(run.results.clauses.map(({ id, outcome }) => [id, outcome])).toEqual(
    expect.arrayContaining(['DOC-1', 'DOC-2', 'DOC-3'].map((id) => [id, 'passed'])),
  );
  expect(run.results.verdict).toBe('conformant');
});

test('a contract of other sentences lets no fact be new or gone', () => {
  const fact = (id: string, value: number): FactResult => ({
    id,
    check: id,
    gap: 'G',
    value,
    words: '',
    reads: 2,
    exchanges: [],
  });
  const seenNow = { facts: [fact('a@service', 2), fact('b@service', 1)], checks: [], whole: true };
  const idsOf = (sameContract: boolean) =>
    driftOf({ 'a@service': 1, 'c@service': 1 }, { ...seenNow, sameContract }).map(({ id }) => id);
  expect(idsOf(true)).toEqual(['a@service', 'b@service', 'c@service']);
  expect(idsOf(false)).toEqual(['a@service']);
});

test('plain HTTP without a listener is a fact that later runs compare', async () => {
  const { results } = await judge(asItWas, {
    settings: { HTTP_BASE_URL: 'http://127.0.0.1:1' },
    only: ['observes-plain-http'],
    baseline: {
      facts: { 'plain-http@listThings': { mediaType: '', status: 403 } },
      contract: { sha256: 'another' },
      fails: false,
    },
  });
  expect(results.drift?.map(driftWords)).toEqual(['mediaType is gone, status was 403, is none']);
});

test('a rate limit in the place of the documented refusal accuses nobody', async () => {
  const run = await again(
    { ...asItWas, refusal: { status: 429, body: { detail: 'Too many requests.' } } },
    { settings: { RATE_LIMIT_WAIT_S: '0' }, only: ['documented-refusal'] },
  );
  expect(run.outcomesOf('documented-refusal')).toEqual(['inconclusive']);
  expect(run.failedClauses).toEqual([]);
});

test('compare tells drift between two runs', async () => {
  if (!seen) throw new Error('the first test makes the proposal');
  const later = await judge({ ...asItWas, refusal: { ...asItWas.refusal, status: 403 } });
  const { drift, regressed } = compareRuns([seen.run.results, later.results]);
  expect(drift.map(({ id, run }) => [id, run])).toContainEqual(['refusal-without-key@listThings', 1]);
  expect(regressed).toBe(false);
});

const some = someOfTable();
for (const [name, { service, breaks, drift, words }] of Object.entries(changes))
  test(`drift: ${name}`, some(), async () => {
    const run = await again({ ...asItWas, ...service });
    expect(run.failedClauses).toEqual(breaks);
    const found = run.results.drift ?? [];
    expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining([...drift]));
    const told = found.find(({ id }) => id === drift[0]);
    expect(told && driftWords(told)).toMatch(words);
    expect(run.results.verdict).toBe(breaks.length > 0 ? 'non-conformant' : 'drifted');
  });

test(
  'a refusal that changes by itself is compared at no operation of its gate, also where it was read once',
  inCi,
  async () => {
    const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `/v2/things-${letter}`);
    const [asked] = Object.values(document.paths);
    const paths = Object.fromEntries(
      names.map((path) => [path, { get: { ...asked?.get, operationId: path.slice(4) } }]),
    );
    const refusals = new Map<string, number>();
    const run = await judgeDocument(
      { ...document, paths: { ...paths, '/v2/news': document.paths['/v2/news'] } },
      (request) => {
        if (request.path === '/v2/news') return asItWas.news;
        if (!names.includes(request.path)) return notFound;
        if (request.headers.authorization === `Bearer ${key}`)
          return {
            ...asItWas.things,
            body: { ...things, results: things.results.map((row) => ({ ...row, of: request.path })) },
          };
        const times = (refusals.get(request.path) ?? 0) + 1;
        refusals.set(request.path, times);
        return { ...unauthorized, headers: { 'www-authenticate': times % 2 === 0 ? 'Bearer' : 'Basic' } };
      },
      { settings: { API_KEY: key, HTTP_BASE_URL: 'none', PROBES: 'spread', CONCURRENCY: '1' } },
    );
    const { gates = [], facts = [] } = run.results;
    expect(gates.map(({ operations }) => operations.length)).toEqual([5]);
    const told = facts.filter(({ id }) => id.startsWith('refusal-without-key@'));
    expect(told.map(({ reads }) => reads).sort()).toEqual([1, 1, 3, 3, 3]);
    expect(told.map(({ value, volatile }) => [value, volatile])).toEqual(told.map(() => [null, true]));
  },
);
