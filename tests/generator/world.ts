import { memoize } from '../../src/collections.js';
import type { Contract, Operation, SecurityScheme } from '../../src/contract/model.js';
import type { Bypass } from '../../src/rules/bypass/bypass.js';
import type { Ask, Deployment, OperationSubject } from '../../src/rules/rule.js';
import { baseOf, requestFor } from '../../src/rules/support/requests.js';
import { missingTarget, targetOf } from '../../src/rules/support/targets.js';
import { withQuery } from '../../src/urls.js';
import { echoesOf } from '../../src/wire/answer-reader.js';
import { describeBody, keptBody } from '../../src/wire/describe-body.js';
import { createFieldDescriber } from '../../src/wire/field-facts.js';
import { isDistinctiveEcho } from '../../src/wire/scalars.js';
import {
  type Attempt,
  type Exchange,
  exchangeId,
  type HeaderPair,
  type Probe,
  type Response,
} from '../../src/wire/types.js';
import { randomOf } from './random.js';
import type { Answer } from './refusals.js';
import type { Asked, Service } from './service.js';
import type { Door } from './spec.js';

/** Asks a service in memory what rules ask one on a socket. */

const position = { file: 'generated.yaml', line: 1, column: 1 };

/** The key of all generated services. */
export const scheme: SecurityScheme = {
  name: 'token',
  in: 'header',
  field: 'Authorization',
  prefix: 'Token ',
  encoding: 'plain',
  setting: 'API_KEY',
};

export const operationAt = (path: string, isOpen: boolean): Operation => ({
  id: `GET ${path}`,
  method: 'GET',
  path,
  target: path,
  headers: [],
  access: isOpen ? 'public' : 'protected',
  security: isOpen ? [] : [scheme],
  responses: [],
  position,
});

const path = '/api/v2/workout/';
const publicPaths: readonly string[] = ['/api/v2/exercise/', '/api/v2/ingredient/'];
const otherPaths: readonly string[] = ['/api/v2/plan/', '/api/v2/measurement/', '/api/v2/goal/', '/api/v2/diary/'];

/** A contract of generated operations. */
export const contractWith = (operations: readonly Operation[], clauses: readonly string[] = []): Contract => ({
  title: 'generated',
  version: '1',
  file: 'generated.yaml',
  sha256: '',
  overlays: [],
  specification: '3.1',
  serverPaths: [],
  clauses: clauses.map((id) => ({ id, text: id, source: '' })),
  gaps: [],
  operations,
  unprobed: [],
  schemes: [scheme],
  schemas: {},
  warnings: [],
});

/** Contracts by the number of their public and other operations. */
const contracts = new Map<string, Contract>();

const contractOf = (publics: number, others: number): Contract => {
  const name = `${publics} ${others}`;
  const made =
    contracts.get(name) ??
    contractWith([
      operationAt(path, false),
      ...publicPaths.slice(0, publics).map((open) => operationAt(open, true)),
      ...otherPaths.slice(0, others).map((other) => operationAt(other, false)),
    ]);
  contracts.set(name, made);
  return made;
};

/** Where all generated services are. */
export const deployment: Deployment = {
  origin: 'https://api.example',
  basePath: '',
  httpBaseUrl: null,
  keys: { API_KEY: { mixesCase: true } },
  probes: 'extended',
  probeKeyInUrl: false,
  insecureTls: false,
  seed: 'generated',
};

/** Subjects are kept, so that rules find their probes again. */
const subjects = new Map<Contract, OperationSubject>();

export const subjectOf = ({ spec }: Service): OperationSubject => {
  const contract = contractOf(spec.publics, spec.others);
  const [operation] = contract.operations;
  if (!operation) throw new TypeError('a contract has operations');
  const subject = subjects.get(contract) ?? {
    contract,
    operation,
    deployment,
  };
  subjects.set(contract, subject);
  return subject;
};

const bypassesBySubject = new Map<OperationSubject, readonly Bypass[]>();

const mostPicked = 3;

/** A random key, what a fault or a layer of the service is about, and a few of the others. */
export const bypassesOf = ({ spec }: Service, subject: OperationSubject): readonly Bypass[] => {
  const all = bypassesBySubject.get(subject) ?? makeBypasses(subject);
  bypassesBySubject.set(subject, all);
  const openings = [...(spec.fault ? [spec.fault] : []), ...spec.layers].map(({ opening }) => opening);
  const picked = randomOf(`${spec.seed} tricks`).shuffled(all).slice(0, mostPicked);
  return all.filter((bypass, index) => {
    const door = doorOf(bypass.probe);
    const isMeant = openings.includes(door) || (openings.includes('anyKey') && door === 'half');
    return index === 0 || isMeant || picked.includes(bypass);
  });
};

const makeBypasses = (subject: OperationSubject): readonly Bypass[] => {
  const target = targetOf(subject);
  const missing = missingTarget(subject, target);
  const keyed = (words: string, credential: string): Bypass => ({
    words,
    probe: requestFor(subject, { name: words, credential }),
  });
  const spelled = (words: string, spell: (path: string) => string, headers: readonly HeaderPair[] = []): Bypass => ({
    words,
    probe: requestFor(subject, { name: words, credential: 'none', target: spell(target), headers }),
    missing: () =>
      requestFor(subject, { name: `${words}, where nothing is`, credential: 'none', target: spell(missing), headers }),
  });
  const base = baseOf(subject, requestFor(subject, { name: 'the base path', credential: 'none' }));
  const rewritten = (to: string): Probe => ({ ...base, name: 'X-Original-URL', headers: [['X-Original-URL', to]] });
  return [
    keyed('a random key', 'random'),
    keyed('half a key', 'first-half'),
    keyed('null as key', 'null'),
    {
      words: 'an empty field',
      probe: requestFor(subject, { name: 'an empty field', credential: 'none', headers: [['Authorization', '']] }),
    },
    spelled('two slashes', (whole) => `/${whole}`),
    spelled('.json at its end', (whole) => `${whole.replace(/\/$/, '')}.json`),
    { ...spelled('?format=csv', (whole) => withQuery(whole, ['format=csv'])), changesForm: true },
    { ...spelled('Accept: text/html', (whole) => whole, [['Accept', 'text/html']]), changesForm: true },
    { words: 'X-Original-URL', probe: rewritten(target), baseline: [base], missing: () => rewritten(missing) },
    spelled('the path with ;x', (whole) => whole.replace(/\/$/, ';x/')),
    spelled('the path in upper case', (whole) => whole.toUpperCase()),
    spelled('an encoded letter', (whole) => whole.replace('/api', '/%61pi')),
    { ...spelled('?callback=', (whole) => withQuery(whole, ['callback=done'])), changesForm: true },
    {
      ...spelled('Accept: application/xml', (whole) => whole, [['Accept', 'application/xml']]),
      changesForm: true,
    },
    spelled('X-Remote-User', (whole) => whole, [['X-Remote-User', 'admin']]),
    spelled('the User-Agent of a browser', (whole) => whole, [['User-Agent', 'Mozilla/5.0']]),
    spelled('X-Forwarded-For', (whole) => whole, [['X-Forwarded-For', '127.0.0.1']]),
  ];
};

const fieldOf = ({ headers }: Probe, name: string): string | undefined =>
  headers.find(([field]) => field.toLowerCase() === name)?.[1];

const doorOf = (probe: Probe): Door => {
  const key = fieldOf(probe, 'authorization');
  if (fieldOf(probe, 'x-original-url') !== undefined) return 'rewrite';
  if (fieldOf(probe, 'x-forwarded-for') !== undefined) return 'forwarded';
  if (fieldOf(probe, 'accept') === 'text/html') return 'htmlForm';
  if (probe.target.includes('format=csv')) return 'csvForm';
  if (fieldOf(probe, 'accept') === 'application/xml') return 'xmlForm';
  if (fieldOf(probe, 'x-remote-user') !== undefined) return 'remoteUser';
  if (fieldOf(probe, 'user-agent') !== undefined) return 'browser';
  if (probe.target.includes('callback=')) return 'callback';
  if (probe.target.includes('%61')) return 'encoded';
  if (probe.target.includes(';x')) return 'semicolon';
  if (probe.target.startsWith('/API')) return 'upperCase';
  if (probe.target.startsWith('//')) return 'slashes';
  if (/\.json$/.test(probe.target)) return 'suffix';
  if (key === undefined || key.includes('<API_KEY>')) return 'plain';
  if (key === '') return 'emptyKey';
  return key.includes('first-half') ? 'half' : key.includes('null') ? 'nullKey' : 'random';
};

const asks = new WeakMap<Probe, Asked>();

const askOf = (probe: Probe): Asked => {
  const known = asks.get(probe) ?? makeAsk(probe);
  asks.set(probe, known);
  return known;
};

const makeAsk = (probe: Probe): Asked => {
  const [asked = ''] = (fieldOf(probe, 'x-original-url') ?? probe.target).split('?');
  const plain = asked
    .toLowerCase()
    .replace(/^\/+/, '/')
    .replace('%61', 'a')
    .replace(';x', '')
    .replace(/\.json$/, '/');
  const publicIndex = publicPaths.indexOf(plain);
  const otherIndex = otherPaths.indexOf(plain);
  const place =
    plain === path
      ? 'operation'
      : plain === '/'
        ? 'base'
        : plain === '/login'
          ? 'login'
          : publicIndex >= 0
            ? 'public'
            : otherIndex >= 0
              ? 'other'
              : 'missing';
  return {
    place,
    index: Math.max(publicIndex, otherIndex, 0),
    door: doorOf(probe),
    isLater: probe.occasion !== undefined,
    isKeyed: fieldOf(probe, 'authorization')?.includes('<API_KEY>') === true,
    target: probe.target,
    id: exchangeId(probe),
  };
};

const salt = 'generator';

/** Requests in memory carry no key, so nothing is redacted. */
const describeFields = createFieldDescriber({ version: 0, holds: () => false, redact: (text) => text }, salt);

const echoesIn = memoize((target: string) => {
  const echoes = echoesOf(target);
  return { echoes, inBodies: echoes.filter((echo) => echo.length >= 3).map((echo) => echo.toLowerCase()) };
});

/** Services share their stock pages and errors: a body is taken apart once. */
const mostBodies = 2_000;
const bodies = new Map<string, Response>();

/** Little-endian with a byte order mark, big-endian without one. */
const bytesOf = (body: string, charset: Answer['charset']): Buffer =>
  charset === undefined
    ? Buffer.from(body)
    : charset === 'utf-16le'
      ? Buffer.from(`\ufeff${body}`, 'utf16le')
      : Buffer.from(body, 'utf16le').swap16();

/** Two targets read a body alike where it repeats nothing of either. */
export const responseOf = (answer: Answer, target: string): Response => {
  const { status, contentType, location, headers: others = [], body, charset, broken = false } = answer;
  const { echoes, inBodies } = echoesIn(target);
  const lower = body.toLowerCase();
  const repeated = inBodies.filter((echo) => lower.includes(echo)).join(' ');
  const name = `${status}\n${contentType}\n${location}\n${others.join()}\n${broken}\n${charset}\n${repeated}\n${body}`;
  const before = bodies.get(name);
  if (before) return before;
  const described = describeBody({
    bytes: bytesOf(body, charset),
    contentType,
    truncated: false,
    broken,
    echoes,
    salt,
  });
  const headers: readonly HeaderPair[] = [
    ...(contentType === undefined ? [] : [['Content-Type', contentType] as const]),
    ...(location === undefined ? [] : [['Location', location] as const]),
    ...others,
  ];
  const raw = headers.flat();
  const fields = describeFields(raw, echoes.filter(isDistinctiveEcho));
  const made: Response = {
    status,
    httpVersion: '1.1',
    headers,
    ...keptBody(described),
    ...(fields.length > 0 ? { fields } : {}),
  };
  if (bodies.size >= mostBodies) bodies.clear();
  bodies.set(name, made);
  return made;
};

const timing = { total: 1 };

const attemptOf = (answer: Answer, target: string): Attempt => {
  if (answer.closed || answer.broken)
    return {
      error: { code: 'reset', message: 'the connection was closed' },
      ...(answer.closed ? {} : { partial: responseOf(answer, target) }),
      timing,
    };
  return { response: responseOf(answer, target), timing };
};

export interface Sent {
  readonly probe: Probe;
  readonly asked: Asked;
  readonly answer: Answer;
  readonly exchange: Exchange;
}

/** Asks a service; `sent` holds everything that was asked. */
export const askingOf = (service: Service): { readonly ask: Ask; readonly sent: ReadonlyMap<string, Sent> } => {
  const sent = new Map<string, Sent>();
  const one = (probe: Probe): Exchange => {
    const asked = askOf(probe);
    const before = sent.get(asked.id);
    if (before) return before.exchange;
    const answer = service.answer(asked);
    const exchange: Exchange = {
      id: asked.id,
      probe,
      connection: { reused: true, protocol: 'http/1.1' },
      request: { method: probe.method, url: `${probe.origin}${probe.target}`, headers: probe.headers },
      attempts: [attemptOf(answer, probe.target)],
    };
    sent.set(asked.id, { probe, asked: asked, answer, exchange });
    return exchange;
  };
  const ask: Ask = Object.assign(one, {
    all: ((probes: readonly Probe[]) => probes.map(one)) as Ask['all'],
    each: <Item, Done>(items: readonly Item[], work: (item: Item, index: number) => Done) => items.map(work),
    inSeries: (...series: readonly (readonly Probe[])[]) => series.flat().map(one),
  });
  return { ask, sent };
};
