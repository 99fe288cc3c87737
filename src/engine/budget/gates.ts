import { byText, groupBy } from '../../collections.js';
import type { Operation, SecurityScheme } from '../../contract/model.js';
import { answerOf, isSuccess } from '../../rules/oracle/answers.js';
import { viewIn } from '../../rules/oracle/view.js';
import type { Exchange } from '../../wire/types.js';
import { literalSegments } from '../values/template.js';

/**
 * Operations that presumably share one access check: they have the same security requirement,
 * method and path prefix, and answer a request without a key alike. A battery is spread over them.
 */
export interface Gate {
  /** Such as `GET /api/v2 (Token) 401`. Every run of the same service has the same ids. */
  readonly id: string;
  /**
   * Sorted by path, independent of the order of the document. A trick is tried at operations that
   * are far apart, so at ones of different path prefixes where one prefix may lack the check.
   */
  readonly operations: readonly Operation[];
}

/**
 * Minimum number of operations for a path prefix to become its own gate. A battery of about 190
 * tricks, each tried at three operations, then costs at most a dozen requests per operation.
 * Operations of smaller prefixes form one gate.
 */
const minOperationsOfPrefix = 48;

/** Header fields that differ between answers of the same gate. */
const volatileFields: ReadonlySet<string> = new Set([
  'age',
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);

/**
 * Fingerprint of an answer to a request without a key: status, field names, media type and
 * structure. A success may contain data, so its structure is left out.
 */
export const fingerprintOf = (exchange: Exchange | undefined): string => {
  const answer = exchange && answerOf(exchange);
  if (!answer) return exchange?.attempts.at(-1)?.error?.code ?? '';
  const { status, headers, shape } = answer;
  if (isSuccess(answer)) return `${status} ${shape.mediaType}`;
  const names = headers.map(([name]) => name.toLowerCase()).filter((name) => !volatileFields.has(name));
  const view = viewIn(shape);
  const paths = view ? [...view.outside.keys(), ...view.lists.keys()] : [shape.kind];
  return [status, shape.mediaType, [...new Set(names)].sort(), paths.sort()].join(' ');
};

const namesOf = (security: readonly SecurityScheme[]): string => security.map(({ name }) => name).join('+');

const requirementOf = ({ access, security, alternatives = [] }: Operation): string =>
  access === 'protected' ? [security, ...alternatives].map(namesOf).sort().join(' or ') : access;

interface Prefixed {
  readonly prefix: readonly string[];
  readonly operations: readonly Operation[];
}

/** Splits operations by path prefix where a prefix has enough of them; the rest stays together. */
const byPrefix = (operations: readonly Operation[], prefix: readonly string[] = []): readonly Prefixed[] => {
  const parts = [...groupBy(operations, ({ path }) => literalSegments(path)[prefix.length] ?? '')];
  const [only] = parts;
  if (only && parts.length === 1 && only[0] !== '') return byPrefix(operations, [...prefix, only[0]]);
  const own = parts.filter(([segment, of]) => segment !== '' && of.length >= minOperationsOfPrefix);
  const rest = parts.filter((part) => !own.includes(part)).flatMap(([, of]) => of);
  return [
    ...own.flatMap(([segment, of]) => byPrefix(of, [...prefix, segment])),
    ...(rest.length > 0 ? [{ prefix, operations: rest }] : []),
  ];
};

/** @param refusalOf looks up the answer to a request without a key; `undefined` if not sent yet */
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
      const operations = of.toSorted((a, b) => byText(a.path, b.path));
      return { id: number === 1 ? words : `${words} #${number}`, operations };
    });
  });
};
