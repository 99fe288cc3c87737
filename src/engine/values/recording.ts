import { hash } from 'node:crypto';
import type {
  Contract,
  Fillable,
  Keyless,
  MissingParameter,
  Operation,
  UnprobedOperation,
} from '../../contract/model.js';
import { isAccountPlaceholder, ownAccountSource } from '../../rules/identities/account-claims.js';
import type { Deployment } from '../../rules/rule.js';
import { digitsOf, uuidOf } from '../../rules/support/nonce.js';
import { accountValueFor, withoutAccountExample } from './account-value.js';
import { isExampled, isWanting, sourcesFor } from './sources.js';
import { pathParameters } from './template.js';

/**
 * Where the values of parameters came from, as stored in the results: enough to judge the run
 * again, without the values.
 */
export interface RecordedValues {
  /** Values that were read from the service, by their placeholders in URLs. */
  readonly read: readonly {
    readonly placeholder: string;
    /** Id of the operation whose answer contained it. */
    readonly operation: string;
    /** JSON Pointer into that answer. With a `#` at its end: the name of the member there. */
    readonly pointer: string;
  }[];
  /** Placeholders of parameters, by operation id and parameter name. */
  readonly filled: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Invented values of the right type in the same way, with placeholders for their parents. */
  readonly invented: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Why an operation got no value, by operation id, as a part of a sentence. */
  readonly missed: Readonly<Record<string, string>>;
  /** Each operation was judged by a separate process that looked only for its own values. */
  readonly apart?: true;
}

/** The part that concerns one operation. */
export const valuesForOperation = (
  { read, filled, invented, missed }: RecordedValues,
  operation: string,
): RecordedValues => {
  const own = <T>(all: Readonly<Record<string, T>>): Record<string, T> => {
    const value = all[operation];
    return value === undefined ? {} : { [operation]: value };
  };
  const used = new Set([filled, invented].flatMap((texts) => Object.values(texts[operation] ?? {})));
  return {
    read: read.filter(({ placeholder }) => used.has(placeholder)),
    filled: own(filled),
    invented: own(invented),
    missed: own(missed),
  };
};

/** Merges the values of operations that were judged by separate processes. */
export const valuesTogether = (parts: readonly RecordedValues[]): RecordedValues => ({
  read: [...new Map(parts.flatMap(({ read }) => read.map((each) => [each.placeholder, each]))).values()],
  filled: Object.assign({}, ...parts.map(({ filled }) => filled)),
  invented: Object.assign({}, ...parts.map(({ invented }) => invented)),
  missed: Object.assign({}, ...parts.map(({ missed }) => missed)),
  apart: true,
});

/**
 * Where a value was read: `/results/0/id in the answer to GET /things`. A pointer that ends in `#`
 * leads to the name of a member, and one that ends in `@0` to a path.
 */
export const sourceWords = ({ method, path }: Pick<Operation, 'method' | 'path'>, pointer: string): string =>
  `${pointer
    .replace(/^(.*)\/[^/]*#$/, (_, parent: string) => `the name of a member at ${parent || '/'}`)
    .replace(/^(.*)@\d+$/, 'a segment of $1')} in the answer to ${method} ${path}`;

/** The contract with the operations that got their values; the others get the reason why not. */
export const withValues = (contract: Contract, values: RecordedValues | undefined): Contract => {
  if (values === undefined) return contract;
  const sources = new Map(values.read.map((each) => [each.placeholder, each]));
  const all = [...contract.operations, ...contract.unprobed];
  const sourceOf = (placeholder: string): string => {
    if (isAccountPlaceholder(placeholder)) return ownAccountSource;
    const source = sources.get(placeholder);
    const operation = all.find(({ id }) => id === source?.operation);
    return source && operation ? sourceWords(operation, source.pointer) : 'read from an answer of the service';
  };
  /** Adds placeholders and their sources to an operation. */
  const asRead = (
    operation: Operation,
    texts: ReadonlyMap<string, string>,
    withoutReadValues: Fillable | undefined,
  ): Operation => ({
    ...operation,
    ...(withoutReadValues ? { withoutReadValues } : {}),
    placeholders: Object.fromEntries([...texts.values()].map((text) => [text, sourceOf(text)])),
    readFrom: Object.fromEntries(
      [...texts.values()].flatMap((text) => {
        const source = sources.get(text);
        return source ? [[text, { operation: source.operation, pointer: source.pointer }] as const] : [];
      }),
    ),
  });
  const known = contract.operations.map((each) => {
    const texts = new Map(Object.entries(values.filled[each.id] ?? {}));
    const operation = texts.size > 0 ? each.exampled?.fill(texts) : undefined;
    return operation ? asRead(operation, texts, each.exampled) : each;
  });
  const found: Operation[] = [];
  const unprobed: UnprobedOperation[] = [];
  for (const each of contract.unprobed) {
    const [read, invented] = [values.filled[each.id], values.invented[each.id]];
    const texts = new Map(Object.entries(read ?? invented ?? {}));
    const operation = texts.size > 0 ? each.fillable?.fill(texts) : undefined;
    const missed = values.missed[each.id];
    if (operation && read) found.push(asRead(operation, texts, each.fillable));
    else if (operation) {
      const isRead = ([, text]: readonly [string, string]): boolean => sources.has(text) || isAccountPlaceholder(text);
      const parents = new Map([...texts].filter(isRead));
      const madeUp = [...texts].flatMap((each) => (isRead(each) ? [] : [each[0]]));
      const asked = parents.size > 0 ? asRead(operation, parents, each.fillable) : operation;
      found.push({ ...asked, keyless: madeUpFor(asked, madeUp, missed) });
    } else
      unprobed.push(missed === undefined ? each : { ...each, reason: `No value is known: ${missed}. ${each.reason}` });
  }
  const isSame = known.every((each, index) => each === contract.operations[index]);
  return isSame &&
    found.length === 0 &&
    unprobed.length === contract.unprobed.length &&
    Object.keys(values.missed).length === 0
    ? contract
    : { ...contract, operations: [...known, ...found], unprobed, schemas: contract.schemas };
};

/**
 * A value of the parameter's type that most likely names nothing, so an answer to it can only show
 * a refusal. A list or an object gets a text too, since most services refuse before they read it.
 * Deterministic for a seed and a label.
 */
const inventedValue = ({ type, format, maxLength }: MissingParameter, seed: string, label: string): string => {
  const hex = hash('sha256', `${seed} value ${label}`);
  if (type === 'integer' || type === 'number') return `1${digitsOf(hex, format === 'int64' ? 14 : 8)}`;
  if (type === 'boolean') return 'true';
  if (format === 'uuid') return uuidOf(hex);
  if (format === 'date') return '2001-02-03';
  if (format === 'date-time') return '2001-02-03T04:05:06Z';
  return `x${hex.slice(0, 15)}`.slice(0, maxLength);
};

/**
 * Why no key is sent to an operation with made-up values, or with values that do not open it.
 * @param missed why the service gave none, as the end of a sentence
 */
export const madeUpFor = ({ owned }: Pick<Operation, 'owned'>, names: readonly string[], missed?: string): Keyless => ({
  cause: 'no-value',
  why: `${names.length === 0 ? 'no value is known with which it opens' : `the ${names.length === 1 ? 'value' : 'values'} for ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} made up`}${missed === undefined ? '' : `, since ${missed}`}`,
  advice: `In PARAMETERS, give one that exists.${owned ? ' One that names the account of a key is what owns says in IDENTITIES.' : ''}`,
});

/** Invented values for the missing parameters of a path. */
export const inventedFor = (
  missing: readonly MissingParameter[],
  seed: string,
  path: string,
): Record<string, string> => {
  const parameters = pathParameters(path);
  return Object.fromEntries(
    missing.map((parameter) => {
      const prefix = parameters.find(({ name }) => name === parameter.name)?.prefix ?? path;
      return [parameter.name, inventedValue(parameter, seed, `${parameter.name} ${prefix}`)];
    }),
  );
};

/**
 * Placeholders for the values that a run will look for in answers. They allow planning before
 * anything is read; the values may turn out not to exist.
 * @param seed of invented values for the other operations, which get none when absent
 */
const provisionalValues = (
  contract: Contract,
  { identities, seed }: Partial<Pick<Deployment, 'identities' | 'seed'>>,
): RecordedValues => {
  const filled: Record<string, Record<string, string>> = {};
  const invented: Record<string, Record<string, string>> = {};
  const numbers = new Map<string, number>();
  const exampled = contract.operations.filter(isExampled);
  const ofAccounts = exampled.flatMap((each) => withoutAccountExample(each, { identities }) ?? []);
  const known = new Set(ofAccounts.map(({ id }) => id));
  for (const each of [...contract.unprobed.filter(isWanting), ...ofAccounts]) {
    const { id, path, access, fillable } = each;
    const account = accountValueFor(each, { identities });
    const texts: Record<string, string> = {};
    for (const parameter of fillable.missing) {
      const { place, operations } = sourcesFor(contract, { id, path }, parameter);
      const number = numbers.get(place) ?? numbers.size + 1;
      numbers.set(place, number);
      if (account?.isFor(parameter)) texts[parameter.name] = account.placeholder;
      else if (operations.length > 0) texts[parameter.name] = `<ID_${number}>`;
      else if (account?.mayBeFor(parameter)) texts[parameter.name] = account.placeholder;
    }
    if (Object.keys(texts).length === fillable.missing.length) filled[id] = texts;
    else if (access === 'protected' && seed !== undefined && !known.has(id))
      invented[id] = inventedFor(fillable.missing, seed, path);
  }
  return { read: [], filled, invented, missed: {} };
};

/** The contract with the operations whose values can be looked for in answers of the service. */
export const contractWithSources = (contract: Contract, identities?: Deployment['identities']): Contract =>
  withValues(contract, provisionalValues(contract, { identities }));

/** The contract of a run that no answer gave values to. */
export const contractWithoutAnswers = (contract: Contract, deployment: Pick<Deployment, 'identities'>): Contract => {
  const readable = new Set(contractWithSources(contract, deployment.identities).operations.map(({ id }) => id));
  return {
    ...contract,
    unprobed: contract.unprobed.map((each) => {
      if (!readable.has(each.id)) return each;
      const { details: _details, ...rest } = each;
      return { ...rest, reason: 'Its parameters get values from answers of the service, and none came.' };
    }),
    get schemas() {
      return contract.schemas;
    },
  };
};

/**
 * The contract as a run may judge it. Protected operations without a source of values get an
 * invented value, and are asked without a key.
 */
export const plannedContract = (contract: Contract, deployment: Pick<Deployment, 'identities' | 'seed'>): Contract =>
  withValues(contract, provisionalValues(contract, deployment));
