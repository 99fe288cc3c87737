import type { Contract, Operation } from '../../src/contract/model.js';
import { planOf } from '../../src/engine/plan.js';
import { neighbourTrick } from '../../src/rules/refuses-other-spellings.js';
import { takenShapes } from '../../src/rules/refuses-worthless-keys.js';
import type { Deployment, OperationSubject } from '../../src/rules/rule.js';
import { requestFor } from '../../src/rules/support/requests.js';
import { describeBody, keptBody } from '../../src/wire/describe-body.js';
import { type Exchange, exchangeId, type HeaderPair, type Probe, type Response } from '../../src/wire/types.js';
import { type Random, randomOf } from './random.js';
import { contractWith, deployment as generatedDeployment, scheme } from './world.js';

/** Services with many operations behind a few gates, of which some have holes: all in memory. */

/** They have no plain HTTP. */
export const deployment: Deployment = { ...generatedDeployment, httpBaseUrl: 'none' };

/** One trick of one rule. */
export interface TrickName {
  readonly rule: string;
  readonly trick: string;
}

/** A hole, and the operations that it opens. */
export interface SeededFault {
  readonly kind:
    | 'gate falls to a trick'
    | 'operation without its gate'
    | 'prefix without its gate'
    | 'method'
    | 'item routes'
    | 'trick at one operation';
  /** Absent where no trick is needed. */
  readonly by?: TrickName;
  readonly operations: ReadonlySet<string>;
}

export interface GatedService {
  readonly contract: Contract;
  readonly gates: number;
  readonly faults: readonly SeededFault[];
  /** The answer of the service. */
  answer(probe: Probe): Exchange;
}

interface Route {
  readonly operation: Operation;
  readonly gate: number;
  readonly resource: string;
  readonly isItem: boolean;
}

const position = { file: 'generated.yaml', line: 1, column: 1 };

/**
 * Lists and items of resources; the operations of a gate share the first segment below `/api/v1`.
 */
const routesOf = (operations: number, gates: number): readonly Route[] =>
  Array.from({ length: operations }, (_, index): Route => {
    const gate = index % gates;
    const number = Math.floor(index / gates);
    const isItem = number % 2 === 1;
    const resource = `things${Math.floor(number / 4)}`;
    const name = number % 4 < 2 ? '' : 'parts/';
    const path = `/api/v1/area${gate}/${resource}/${name}${isItem ? '{id}/' : ''}`;
    return {
      gate,
      resource: `${gate} ${resource}`,
      isItem,
      operation: {
        id: `GET ${path}`,
        method: 'GET',
        path,
        // As examples of documents often have it.
        target: path.replace('{id}', '1'),
        headers: [],
        access: 'protected',
        security: [scheme],
        responses: [],
        position,
      },
    };
  });

const contractOf = (routes: readonly Route[]): Contract =>
  contractWith(
    routes.map(({ operation }) => operation),
    ['AUTH-1', 'AUTH-2', 'AUTH-3', 'PATH-1'],
  );

/** What makes a request the same one, whenever it is sent. */
const placeOf = ({ connection, method, target, headers, protocol }: Probe): string =>
  JSON.stringify([
    method,
    target.replace(/(nothing-[0-9a-f]{12})(?:-\d+|-pair-\d+)+/, '$1'),
    headers,
    protocol,
    connection === 'keyed',
  ]);

const carriesTheKey = ({ headers }: Probe): boolean => headers.some(([, value]) => value.includes('<API_KEY>'));

/** The requests of a trick at an operation, without those that only stand beside it. */
const requestsOfTrick = (subject: OperationSubject, { rule, trick }: TrickName): readonly Probe[] => {
  const check = planOf({ ...subject.contract, operations: [subject.operation] }, subject.deployment).checks.find(
    (one) => one.rule.id === rule,
  );
  if (!check) return [];
  const beside = new Set(check.probes({ has: () => false }).map(placeOf));
  const plainOptions = placeOf(requestFor(subject, { name: '', credential: 'none', method: 'OPTIONS' }));
  const own = check.probes({ has: (name) => name === trick });
  const isOptions = own.every((probe) => beside.has(placeOf(probe)) || probe.method === 'OPTIONS');
  return own.filter((probe) => {
    const place = placeOf(probe);
    return (
      (!beside.has(place) || probe.name === trick) && !carriesTheKey(probe) && (isOptions || place !== plainOptions)
    );
  });
};

/** Every trick that may open something without the key. */
export const tricksOf = (contract: Contract, operation: Operation): readonly TrickName[] =>
  planOf({ ...contract, operations: [operation] }, deployment).checks.flatMap(({ rule, clauses, battery }) =>
    clauses.includes('AUTH-3') && battery
      ? battery
          .tricks()
          // Sent only where the service sets cookies, or takes the key in another form or at a
          // neighbouring path.
          .filter((trick) => !/cookie/.test(trick) && trick !== takenShapes && trick !== neighbourTrick)
          .map((trick) => ({ rule: rule.id, trick }))
      : [],
  );

const json = (status: number, body: unknown, more: readonly HeaderPair[] = []): Response => {
  const text = JSON.stringify(body);
  const described = describeBody({
    bytes: Buffer.from(text),
    contentType: 'application/json',
    truncated: false,
    broken: false,
    echoes: [],
    salt: 'generator',
  });
  return {
    status,
    httpVersion: '1.1',
    headers: [['Content-Type', 'application/json'], ['Content-Length', String(text.length)], ...more],
    ...keptBody(described),
  };
};

const withoutBody = (response: Response): Response => {
  const described = describeBody({
    bytes: Buffer.alloc(0),
    contentType: 'application/json',
    truncated: false,
    broken: false,
    echoes: [],
    salt: 'generator',
  });
  return { ...response, ...keptBody(described) };
};

const dataOf = (index: number): Response =>
  json(200, {
    count: 3,
    results: [0, 1, 2].map((row) => ({
      id: 70_000 + index * 10 + row,
      name: `entry ${row} of ${index}`,
      comment: `written by hand on day ${index * 7 + row}`,
    })),
  });

const nothing = json(404, { detail: 'Not found.' });
const base = json(200, { service: 'generated' });

/** Some gates refuse alike. */
const refusalOf = (style: number): Response =>
  [
    json(401, { detail: 'Authentication credentials were not provided.' }),
    json(403, { error: { code: 'forbidden', message: 'No access.' } }),
    json(401, { message: 'Unauthorized' }, [['WWW-Authenticate', 'Token']]),
    json(404, { error: 'no such thing' }),
  ][style] ?? nothing;

const drawFault = (random: Random, routes: readonly Route[], gates: number, contract: Contract): SeededFault => {
  const gate = random.int(0, gates - 1);
  const ofGate = routes.filter((route) => route.gate === gate);
  const one = random.pick(ofGate);
  const ids = (some: readonly Route[]): ReadonlySet<string> => new Set(some.map(({ operation }) => operation.id));
  const trick = (): TrickName => random.pick(tricksOf(contract, random.pick(ofGate).operation));
  switch (random.int(0, 5)) {
    case 0:
      return { kind: 'operation without its gate', operations: ids([one]) };
    case 1:
      return {
        kind: 'prefix without its gate',
        operations: ids(ofGate.filter(({ resource }) => resource === one.resource)),
      };
    case 2:
      return {
        kind: 'method',
        by: {
          rule: 'refuses-other-spellings',
          trick: random.pick(['a HEAD request without a key', 'an OPTIONS request without a key']),
        },
        operations: ids(ofGate),
      };
    case 3:
      return { kind: 'item routes', operations: ids(ofGate.filter(({ isItem }) => isItem)) };
    case 4:
      return { kind: 'trick at one operation', by: trick(), operations: ids([one]) };
    default:
      return { kind: 'gate falls to a trick', by: trick(), operations: ids(ofGate) };
  }
};

export interface Drawn {
  readonly operations?: number;
  /** From 1 to 20 when absent. */
  readonly gates?: number;
  /** Drawn when absent. */
  readonly faults?: (routes: { readonly contract: Contract }) => readonly SeededFault[];
}

/** The service of a seed. */
export const gatedService = (
  seed: string,
  { operations = 1_000, gates: wanted, faults: given }: Drawn = {},
): GatedService => {
  const random = randomOf(seed);
  const gates = wanted ?? random.int(1, 20);
  const routes = routesOf(operations, gates);
  const contract = contractOf(routes);
  const styles = Array.from({ length: gates }, () => random.int(0, 3));
  const faults =
    given?.({ contract }) ??
    Array.from({ length: random.int(0, 5) }, (_, index) =>
      drawFault(random.fork(`fault ${index}`), routes, gates, contract),
    );
  const byId = new Map(routes.map((route, index) => [route.operation.id, { ...route, data: dataOf(index) }]));
  const byTarget = new Map(routes.map((route, index) => [route.operation.target, { ...route, data: dataOf(index) }]));
  const open = new Set(faults.flatMap(({ by, operations: of }) => (by ? [] : [...of])));
  const tricked = new Map<string, string>();
  for (const { by, operations: of } of faults)
    if (by)
      for (const id of of) {
        const route = byId.get(id);
        if (!route) continue;
        for (const probe of requestsOfTrick({ contract, deployment, operation: route.operation }, by))
          tricked.set(placeOf(probe), id);
      }
  const respond = (probe: Probe): Response => {
    const [path = ''] = probe.target.split('?', 1);
    const route = byTarget.get(path);
    const trickedId = tricked.get(placeOf(probe));
    const opened = trickedId === undefined ? undefined : byId.get(trickedId);
    if (opened) return opened.data;
    if (path === '/') return base;
    if (!route || !['GET', 'HEAD'].includes(probe.method)) {
      const area = /^\/api\/v1\/area(\d+)\//.exec(path);
      return route && area ? refusalOf(styles[Number(area[1])] ?? 0) : nothing;
    }
    if (carriesTheKey(probe) || open.has(route.operation.id)) return route.data;
    return refusalOf(styles[route.gate] ?? 0);
  };
  return {
    contract,
    gates,
    faults,
    answer: (probe) => {
      const { headers, method, origin, target } = probe;
      const seen = respond(probe);
      return {
        id: exchangeId(probe),
        probe,
        connection: { reused: true, protocol: 'http/1.1' },
        request: { method, url: `${origin}${target}`, headers },
        attempts: [{ response: method === 'HEAD' ? withoutBody(seen) : seen, timing: { total: 1 } }],
      };
    },
  };
};
