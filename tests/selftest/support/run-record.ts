import { createHash } from 'node:crypto';
import { accessMatrixOf } from '../../../src/engine/access-matrix.js';
import { causesOf } from '../../../src/engine/causes/causes.js';
import { coverageOf, withCoverage } from '../../../src/engine/coverage.js';
import { type Outcome, outcomes, worst } from '../../../src/engine/outcomes.js';
import type { Finding, GapResult, OperationResult, RunRecord } from '../../../src/engine/results.js';
import type { Attempt, Exchange } from '../../../src/wire/types.js';

/**
 * Runs as the engine records them, built in memory: believable enough to look at, hostile where a
 * test wants it.
 */

type Pair = readonly [string, string];

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface SketchedResponse {
  readonly status: number;
  readonly headers?: readonly Pair[];
  readonly body?: string;
  /** Stored without its text, as keyed bodies are. */
  readonly hidden?: boolean;
}

const baseUrl = 'https://fitness.example';

/** One exchange; `target` may be a full URL in absolute form. */
export const exchange = (
  operation: string,
  name: string,
  target: string,
  headers: readonly Pair[],
  answer: SketchedResponse | { readonly error: Attempt['error'] },
  more: Partial<Exchange['probe']> = {},
): Exchange => {
  const probe: Exchange['probe'] = {
    operation,
    name,
    method: 'GET',
    origin: baseUrl,
    target,
    headers,
    connection: 'shared',
    protocol: 'http/1.1',
    round: 1,
    ...more,
  };
  const added: readonly Pair[] = [
    ['Host', new URL(probe.origin).host],
    ['User-Agent', 'access-conformance/0.1.0'],
    ['Accept', 'application/json, */*;q=0.8'],
    ['Accept-Encoding', 'gzip, deflate, br'],
    ['Connection', 'keep-alive'],
  ];
  const named = new Set(headers.map(([field]) => field.toLowerCase()));
  const sent = [...added.filter(([field]) => !named.has(field.toLowerCase())), ...headers];
  const id = hash(JSON.stringify([operation, name, target, headers, more])).slice(0, 12);
  return {
    id,
    probe,
    connection: { reused: id < '8', address: '203.0.113.7:443', protocol: probe.protocol },
    request: { method: probe.method, url: target.startsWith('/') ? probe.origin + target : target, headers: sent },
    attempts: [attempt(answer, probe.origin.startsWith('https:'))],
  };
};

const attempt = (answer: SketchedResponse | { readonly error: Attempt['error'] }, secure: boolean): Attempt => {
  const timing = { connect: 4.2, ...(secure ? { tls: 11.8 } : {}), firstByte: 23.4, total: 25.1 };
  if ('error' in answer) return { ...(answer.error ? { error: answer.error } : {}), timing: { total: 10_000 } };
  const { status, body = '' } = answer;
  const headers = answer.headers ?? [['Content-Type', 'application/json']];
  return {
    response: {
      status,
      httpVersion: '1.1',
      headers: [
        ['Date', 'Mon, 04 May 2026 09:12:44 GMT'],
        ['Server', 'nginx'],
        ...headers,
        ['Content-Length', String(Buffer.byteLength(body))],
      ],
      ...(answer.hidden ? {} : { body }),
      shape: bodyFacts(body, headers),
      size: Buffer.byteLength(body),
      digest: hash(body).slice(0, 12),
      truncated: false,
    },
    ...(secure ? { tls: tlsFacts } : {}),
    timing,
  };
};

const tlsFacts = {
  version: 'TLSv1.3',
  authorized: true,
  alpn: 'http/1.1',
  chain: [
    {
      subject: 'CN=fitness.example',
      issuer: 'C=US, O=Example Trust, CN=R11',
      validFrom: '2026-04-01T00:00:00.000Z',
      validTo: '2026-06-30T00:00:00.000Z',
      altNames: ['DNS:fitness.example'],
      fingerprint256: '3A:F1:0C:99:5E:27:61:7D:42:10:98:AA:0B:6C:EE:12:3A:F1:0C:99:5E:27:61:7D:42:10:98:AA:0B:6C:EE:12',
    },
  ],
};

type Facts = NonNullable<Attempt['response']>['shape'];
type Shape = NonNullable<Facts['shape']>;

const bodyFacts = (body: string, headers: readonly Pair[]): Facts => {
  const mediaType = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1].split(';')[0] ?? '';
  const common = {
    mediaType,
    size: Buffer.byteLength(body),
    truncated: false,
    digest: hash(body).slice(0, 12),
    values: [],
  };
  if (body === '') return { ...common, kind: 'empty' };
  if (mediaType !== 'application/json')
    return { ...common, kind: mediaType === 'text/html' ? 'html' : 'text', pieces: [hash(body).slice(0, 12)] };
  try {
    return { ...common, kind: 'json', shape: shapeOf(JSON.parse(body)) };
  } catch {
    return { ...common, kind: 'text' };
  }
};

const shapeOf = (value: unknown): Shape => {
  if (Array.isArray(value))
    return {
      type: 'array',
      length: value.length,
      count: hash(String(value.length)).slice(0, 12),
      items: value.map(shapeOf),
    };
  if (typeof value === 'object' && value !== null)
    return { type: 'object', members: Object.entries(value).map(([name, member]) => [name, shapeOf(member)]) };
  const type = value === null ? 'null' : (typeof value as 'string' | 'number' | 'boolean');
  return { type, digest: hash(JSON.stringify(value)).slice(0, 12) };
};

export const json = (value: unknown): string => JSON.stringify(value);

export const clauseTexts: readonly (readonly [id: string, text: string, source: string])[] = [
  [
    'HTTPS-1',
    'The API is served over HTTPS at the base URL, with a certificate that is valid and for that host.',
    '1, 4.2',
  ],
  ['HTTPS-2', 'The API is reached over HTTPS only.', '5.5'],
  ['PATH-1', 'The workout resource is at {base_url}/api/v2/workout/.', '4.1'],
  ['PATH-2', 'The version v2 travels in the path, and nothing else is needed to choose it.', '9'],
  ['PATH-3', 'The workout resource is read with GET and no body.', '4'],
  ['AUTH-1', 'The key travels in the header named Authorization.', '5.1'],
  ['AUTH-2', 'The header’s value is the literal word Token, one space, the key.', '5.2, 5.7'],
  ['AUTH-3', 'The key is required for a protected resource.', '5.3'],
  ['AUTH-4', 'A public resource needs no credentials: the client supplies nothing.', '5.4'],
  ['PAGE-1', 'The web interface’s “generate API key” action creates a key.', '1, 5.6'],
  ['PAGE-2', 'The same place shows the current key.', '1'],
  ['PAGE-3', 'When there is no key, the same place says that none exists yet.', '1'],
];

const shortTexts: Readonly<Record<string, string>> = {
  'HTTPS-1': 'valid TLS certificate',
  'HTTPS-2': 'HTTPS only',
  'PATH-1': 'at documented path',
  'PATH-2': 'version in path',
  'PATH-3': 'documented method',
  'AUTH-1': 'place of key',
  'AUTH-2': 'format of key',
  'AUTH-3': 'closed without key',
  'AUTH-4': 'public without key',
};

export const operations: readonly OperationResult[] = [
  {
    id: 'listWorkouts',
    method: 'GET',
    path: '/api/v2/workout/',
    access: 'protected',
    probed: true,
    position: 'openapi/fitness-data-service.yaml:31',
  },
  {
    id: 'listExercises',
    method: 'GET',
    path: '/api/v2/exercise/',
    access: 'public',
    probed: true,
    position: 'openapi/fitness-data-service.yaml:52',
  },
  {
    id: 'listIngredients',
    method: 'GET',
    path: '/api/v2/ingredient/',
    access: 'public',
    probed: true,
    position: 'openapi/fitness-data-service.yaml:69',
  },
];

/**
 * Ties findings, gaps and exchanges together: clause outcomes, counts and verdict follow from the
 * findings.
 */
export const recordOf = (
  findings: readonly Finding[],
  exchanges: readonly Exchange[],
  more: Partial<RunRecord['results']> & { readonly clauseTexts?: typeof clauseTexts } = {},
): RunRecord => {
  const { clauseTexts: texts = clauseTexts, ...override } = more;
  const counts = Object.fromEntries(
    outcomes.map(({ outcome }) => [outcome, findings.filter((finding) => finding.outcome === outcome).length]),
  );
  const broken = findings.some(({ outcome, deviation }) => outcome === 'failed' && !deviation);
  const open = findings.some(({ outcome }) => outcome === 'inconclusive' || outcome === 'blocked');
  const byClause = new Map<string, Finding[]>();
  for (const finding of findings)
    for (const clause of finding.clauses) byClause.set(clause, [...(byClause.get(clause) ?? []), finding]);
  const byId = new Map(exchanges.map((one) => [one.id, one]));
  const options = { PROBES: 'extended', STRICT: false, EVIDENCE: 'shape', CONCURRENCY: 8 };
  const asked = override.operations ?? operations;
  const judged = asked.some((operation) => operation.judged !== undefined)
    ? asked
    : withCoverage(asked, findings, false);
  const results: RunRecord['results'] = {
    schemaVersion: 1,
    tool: { name: 'access-conformance', version: '0.1.0' },
    contract: {
      title: 'Fitness data service: access contract',
      version: '2.0.0',
      file: 'openapi/fitness-data-service.yaml',
      sha256: hash('contract'),
    },
    target: { name: 'staging', baseUrl, httpBaseUrl: 'http://fitness.example' },
    options,
    startedAt: '2026-05-04T09:12:44.000Z',
    durationMs: 1840,
    verdict: broken
      ? 'non-conformant'
      : open
        ? 'incomplete'
        : findings.some(({ deviation }) => deviation)
          ? 'deviating'
          : 'conformant',
    complete: true,
    counts: counts as Record<Outcome, number>,
    requestsSent: exchanges.length,
    recording: { seed: hash('seed'), keys: { API_KEY: { mixesCase: true } } },
    clauses: texts.map(([id, text, source], at) => {
      const own = byClause.get(id) ?? [];
      return {
        id,
        ...(shortTexts[id] === undefined ? {} : { short: shortTexts[id] }),
        text,
        source,
        outcome: worst(own.map(({ outcome }) => outcome)),
        checks: own.map((finding) => finding.id),
        position: `openapi/fitness-data-service.yaml:${90 + 4 * at}`,
      };
    }),
    ...accessMatrixOf(asked, findings),
    checks: findings,
    causes: causesOf({ checks: findings, operations: asked, options, exchange: (id) => byId.get(id) }),
    gaps: [],
    facts: [],
    ...override,
    operations: judged,
    coverage: override.coverage ?? coverageOf(judged, findings),
  };
  return {
    results,
    async *exchanges() {
      yield* exchanges;
    },
    async dispose() {},
  };
};

/** The run with other findings, and the causes of those. */
export const withFindings = (run: RunRecord['results'], checks: readonly Finding[]): RunRecord['results'] => ({
  ...run,
  checks,
  causes: causesOf({ checks, operations: run.operations, options: run.options, exchange: () => undefined }),
});

export const gap = (
  id: string,
  question: string,
  observations: GapResult['observations'],
  excluded?: string,
): GapResult => ({
  id,
  question,
  observations,
  ...(excluded === undefined ? {} : { excluded }),
});
