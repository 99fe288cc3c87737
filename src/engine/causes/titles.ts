import type { Headline } from '../../rules/support/headlines.js';
import { counted } from '../../words.js';
import type { Finding, OperationResult } from '../results.js';

/** Operations by id, for their methods and paths. */
export type OperationNames = ReadonlyMap<string, Pick<OperationResult, 'method' | 'path'>>;

export const operationNames = (operations: readonly OperationResult[]): OperationNames =>
  new Map(operations.map((operation) => [operation.id, operation]));

/** `GET /orders`; the id where the document has no such operation. */
export const nameOfOperation = (id: string, names: OperationNames): string => {
  const operation = names.get(id);
  if (operation) return `${operation.method} ${operation.path}`;
  return id === 'service' ? 'The service' : id === 'key-page' ? 'The key page' : id;
};

const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(operations?|way)\}/g, (whole, name: string) => values[name] ?? whole);

/** The headline of one or more findings with the same cause, as a sentence without a full stop. */
export const sentenceOf = (
  { one, many = one }: Headline,
  { ids, names, way = '' }: { readonly ids: readonly string[]; readonly names: OperationNames; readonly way?: string },
): string =>
  ids.length > 1
    ? filled(many, { operations: counted(ids.length, 'operation'), way })
    : filled(one, { operation: nameOfOperation(ids[0] ?? 'service', names), way });

/** The headline of a finding, such as `GET /orders opens without a key`, else its title. */
export const titleOfFinding = (finding: Finding, names: OperationNames): string => {
  const { headline, cause, operation, title } = finding;
  if (!headline) return title;
  return sentenceOf(headline, { ids: [operation], names, way: cause?.ways?.[0] ?? '' });
};
