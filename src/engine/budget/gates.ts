import { createHash } from 'node:crypto';
import { groupBy } from '../../collections.js';
import type { Operation, SecurityScheme } from '../../contract/model.js';
import { answerOf, isSuccess } from '../../rules/oracle/answers.js';
import { viewIn } from '../../rules/oracle/view.js';
import type { Exchange } from '../../wire/types.js';
import { literalSegments } from '../literal-segments.js';

/**
 * Operations that one piece of the service refuses: they have one security requirement, one method,
 * one path prefix, and answer a request without a key alike. A battery is spread over them.
 */
export interface Gate {
  /** `GET /api/v2 (Token) 401`; the same in each run, where the answers are. */
  readonly id: string;
  /** In an order that depends on their ids alone and follows nothing else of them. */
  readonly operations: readonly Operation[];
}

/**
 * A prefix makes a gate of its own if at least so many operations share it. A battery of some 190
 * tricks, each at three operations, then costs an operation a dozen requests at most. Operations of
 * smaller prefixes are one gate, as those of most services are.
 */
const leastOfPrefix = 48;

/** Fields that differ from answer to answer, whoever refuses. */
const passing: ReadonlySet<string> = new Set([
  'age',
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);

/**
 * How a request without a key is answered: status, names of fields, media type and structure. A
 * success may be data, so that its structure says nothing of the gate.
 */
export const fingerprintOf = (exchange: Exchange | undefined): string => {
  const answer = exchange && answerOf(exchange);
  if (!answer) return exchange?.attempts.at(-1)?.error?.code ?? '';
  const { status, headers, shape } = answer;
  if (isSuccess(answer)) return `${status} ${shape.mediaType}`;
  const names = headers.map(([name]) => name.toLowerCase()).filter((name) => !passing.has(name));
  const view = viewIn(shape);
  const paths = view ? [...view.outside.keys(), ...view.lists.keys()] : [shape.kind];
  return [status, shape.mediaType, [...new Set(names)].sort(), paths.sort()].join(' ');
};

const namesOf = (security: readonly SecurityScheme[]): string => security.map(({ name }) => name).join('+');

const requirementOf = ({ access, security, alternatives = [] }: Operation): string =>
  access === 'protected' ? [security, ...alternatives].map(namesOf).sort().join(' or ') : access;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Prefixed {
  readonly prefix: readonly string[];
  readonly operations: readonly Operation[];
}

/** Parts of a prefix that have enough operations, and the rest. */
const byPrefix = (operations: readonly Operation[], prefix: readonly string[] = []): readonly Prefixed[] => {
  const parts = [...groupBy(operations, ({ path }) => literalSegments(path)[prefix.length] ?? '')];
  const [only] = parts;
  if (only && parts.length === 1 && only[0] !== '') return byPrefix(operations, [...prefix, only[0]]);
  const own = parts.filter(([segment, of]) => segment !== '' && of.length >= leastOfPrefix);
  const rest = parts.filter((part) => !own.includes(part)).flatMap(([, of]) => of);
  return [
    ...own.flatMap(([segment, of]) => byPrefix(of, [...prefix, segment])),
    ...(rest.length > 0 ? [{ prefix, operations: rest }] : []),
  ];
};

/** @param refusalOf the answer to a request without a key; `undefined` before anything was sent */
export const gatesOf = (
  operations: readonly Operation[],
  refusalOf: (operation: Operation) => Exchange | undefined = () => undefined,
): readonly Gate[] => {
  const alike = groupBy(operations, (operation) => {
    const seen = operation.access === 'protected' ? fingerprintOf(refusalOf(operation)) : '';
    return [operation.method, requirementOf(operation), seen].join('\n');
  });
  const known = new Map<string, number>();
  return [...alike].flatMap(([name, own]) => {
    const [method = '', requirement = '', seen = ''] = name.split('\n');
    return byPrefix(own).map(({ prefix, operations: of }): Gate => {
      const status = seen.split(' ', 1)[0];
      const words = `${method} /${prefix.join('/')} (${requirement})${status ? ` ${status}` : ''}`;
      const number = (known.get(words) ?? 0) + 1;
      known.set(words, number);
      const ordered = of
        .map((operation) => ({ operation, order: digestOf(operation.id) }))
        .sort((a, b) => (a.order < b.order ? -1 : 1))
        .map(({ operation }) => operation);
      return { id: number === 1 ? words : `${words} #${number}`, operations: ordered };
    });
  });
};
