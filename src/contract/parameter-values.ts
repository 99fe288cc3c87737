import { isObject } from '../collections.js';
import { nearestName } from '../names.js';
import { ContractError } from './errors.js';
import { child, isArray, isScalar } from './json-values.js';
import type { MissingParameter, Operation, RandomId } from './model.js';
import { childNode, exactValue, itemNodes, memberNodes, type Node, nodeAt, type Problems } from './node.js';
import type { References } from './references.js';
import { readSource } from './source.js';

/** What the document says about the values of a parameter. */

export interface Parameter {
  readonly node: Node;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}

const holdsValue = ({ value }: Node): boolean => value !== undefined && value !== null;

const schemaExamples = (schema: Node | undefined, references: References, depth = 0): readonly Node[] => {
  const written = schema?.value;
  if (!schema || !isObject(written)) return [];
  const at = (keyword: string): readonly Node[] => (written[keyword] === undefined ? [] : [childNode(schema, keyword)]);
  const items = (keyword: string): readonly Node[] => at(keyword).flatMap(itemNodes);
  const own = [at('example'), items('examples'), at('default'), items('enum'), at('const')].flat();
  const inherited = depth > 4 ? [] : ['allOf', 'anyOf', 'oneOf'].flatMap(items);
  return [
    ...own.filter(holdsValue),
    ...inherited.flatMap((part) => schemaExamples(references.resolve(part), references, depth + 1)),
  ];
};

/**
 * Whether a value of a path parameter is an example, and not one of fixed values. A default is one:
 * no path parameter can be left out.
 */
export const isExampled = ({ node }: Parameter, references: References): boolean => {
  const schema = references.resolve(childNode(node, 'schema'));
  return !['enum', 'const'].some((keyword) => schema && child(schema.value, keyword) !== undefined);
};

/**
 * Whether a value stands for any of many, and may so be of one account: one of PARAMETERS, or an
 * example beside no fixed values and no default.
 */
export const isChosen = (parameter: Parameter, own: unknown, references: References): boolean => {
  const schema = references.resolve(childNode(parameter.node, 'schema'));
  return (
    isExampled(parameter, references) &&
    (own !== undefined || child(schema?.value, 'default') === undefined) &&
    typeOf(schema, references).type !== 'boolean'
  );
};

const namedExamples = (examples: Node, references: References): readonly Node[] =>
  memberNodes(examples).flatMap(([, written]) => {
    const example = references.resolve(written);
    return example ? [childNode(example, 'value'), childNode(example, 'dataValue')].filter(holdsValue) : [];
  });

const examplesOf = (holder: Node, references: References): readonly Node[] => [
  ...[childNode(holder, 'example')].filter(holdsValue),
  ...namedExamples(childNode(holder, 'examples'), references),
  ...schemaExamples(references.resolve(childNode(holder, 'schema')), references),
];

/** The values that the document itself offers for a parameter, those that are meant most first. */
export const documentedValues = ({ node }: Parameter, references: References): readonly unknown[] => {
  const content = child(node.value, 'content');
  const mediaType = isObject(content) ? Object.keys(content)[0] : undefined;
  const holder = mediaType === undefined ? node : nodeAt(node, ['content', mediaType]);
  const values = examplesOf(holder, references).map(exactValue);
  if (mediaType === undefined || mediaType === 'application/x-www-form-urlencoded') return values;
  return values.map((value) => (isScalar(value) ? value : JSON.stringify(value)));
};

/**
 * A schema's one type, which 3.1 may give in a list beside null, or in the only alternative that is
 * not null.
 */
export const typeOf = (
  schema: Node | undefined,
  references: References,
  depth = 0,
): Pick<MissingParameter, 'type' | 'format' | 'maxLength'> => {
  if (!schema || !isObject(schema.value) || depth > 4) return {};
  const { type, format, maxLength } = schema.value;
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string' && each !== 'null');
  if (types.length === 0)
    return (
      ['anyOf', 'oneOf', 'allOf']
        .flatMap((keyword) => itemNodes(childNode(schema, keyword)))
        .map((part) => typeOf(references.resolve(part), references, depth + 1))
        .find((found) => found.type !== undefined && found.type !== 'null') ?? {}
    );
  return {
    type: String(types[0]),
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof maxLength === 'number' ? { maxLength } : {}),
  };
};

/**
 * A value for a parameter that may be left out: one that the document lists, a number or a boolean,
 * if possible another than the default. Of a list it is the last one, since the first may be what
 * is meant without the parameter. Other texts are none, since they may be credentials.
 */
export const optionalValue = ({ node }: Pick<Parameter, 'node'>, references: References): unknown => {
  const schema = references.resolve(childNode(node, 'schema'));
  if (!schema || !isObject(schema.value)) return undefined;
  const { default: usual, enum: listed } = schema.value;
  if (isArray(listed)) return listed.findLast((value) => value !== null && value !== usual) ?? undefined;
  const { type } = typeOf(schema, references);
  if (type === 'boolean') return usual !== true;
  return type === 'integer' || type === 'number' ? (usual === 2 ? 3 : 2) : undefined;
};

/**
 * Parameter values for requests that may change something: random ids that name no entry. Given and
 * documented values are not used, since they may name one.
 */

type IdKind = RandomId['kind'];

const uuidLength = 36;

const typesOf = (type: unknown): readonly unknown[] =>
  (isArray(type) ? type : [type]).filter((each) => each !== undefined && each !== 'null');

const takesNullAlone = ({ value }: Node): boolean => isObject(value) && value.type === 'null';

/** Whether every UUID fits what a schema says of a text. */
const takesUuids = ({ format, pattern, maxLength, minLength }: Readonly<Record<string, unknown>>): boolean =>
  (format === undefined ? pattern === undefined : format === 'uuid') &&
  (typeof maxLength !== 'number' || maxLength >= uuidLength) &&
  (typeof minLength !== 'number' || minLength <= uuidLength);

/** The kind of id that a schema takes; `any` where it says nothing of the type. */
const kindIn = (schema: Node | undefined, references: References, depth = 0): IdKind | 'any' | undefined => {
  if (!schema || depth > 4) return undefined;
  const { value } = schema;
  if (!isObject(value)) return value === true ? 'any' : undefined;
  if ('enum' in value || 'const' in value) return undefined;
  const types = typesOf(value.type);
  if (types.length > 0 && !types.includes('string'))
    return types.includes('integer') || types.includes('number') ? 'integer' : undefined;
  const kindsOf = (keyword: string): readonly (IdKind | 'any' | undefined)[] =>
    itemNodes(childNode(schema, keyword))
      .flatMap((part) => references.resolve(part) ?? [])
      .filter((part) => !takesNullAlone(part))
      .map((part) => kindIn(part, references, depth + 1));
  const all = kindsOf('allOf');
  const alternatives = [...kindsOf('anyOf'), ...kindsOf('oneOf')];
  const possible = alternatives.filter((kind) => kind !== undefined);
  if (all.includes(undefined) || (alternatives.length > 0 && possible.length === 0)) return undefined;
  const known = [...all, ...possible].find((kind) => kind !== 'any');
  if (known !== undefined) return known;
  if (!takesUuids(value)) return undefined;
  return types.length > 0 ? 'uuid' : 'any';
};

export const createRandomIds = (operationId: string, references: References) => {
  const all: RandomId[] = [];

  /**
   * A text that stands for the id until a run makes it; `undefined` where no random id fits the
   * schema.
   */
  const standInFor = (parameter: Node, name: string): string | undefined => {
    const { value } = parameter;
    if (!isObject(value) || value.content !== undefined) return undefined;
    const schema = value.schema === undefined ? undefined : references.resolve(childNode(parameter, 'schema'));
    const kind = value.schema === undefined ? 'any' : kindIn(schema, references);
    if (kind === undefined) return undefined;
    const standIn = `RandomIdOfParameter${all.length}x`;
    all.push({ standIn, kind: kind === 'any' ? 'uuid' : kind, label: `${operationId} ${name}` });
    return standIn;
  };

  return {
    standInFor,
    get made(): Pick<Operation, 'randomIds'> {
      return all.length > 0 ? { randomIds: all } : {};
    },
  };
};

export type RandomIds = ReturnType<typeof createRandomIds>;

/** Why a write is not asked for want of a random id. */
export const noRandomId = (place: string, name: string): string =>
  `No random id fits the required ${place} parameter "${name}", and a request that may change something is never sent with a value of PARAMETERS or of the document.`;

export const deletesWithoutId =
  'A DELETE is only sent at a random id, and this path has no parameter for one: it could take away what is there.';

/**
 * Values that a person gave in the PARAMETERS file: `name: value` for every operation that has a
 * parameter of that name, and `operationId: { name: value }` or `/path/{of}/it: { name: value }`
 * for one.
 */
export class GivenValues {
  readonly #file: Node | undefined;
  /** Names that each operation, by its id and by its path, has parameters of. */
  readonly #operations = new Map<string, Set<string>>();
  readonly #parameters = new Set<string>();

  constructor(file?: Node) {
    this.#file = file;
  }

  /** Whether the file gives no value: comments alone, as `init` writes it. */
  get isEmpty(): boolean {
    return this.#file === undefined;
  }

  /**
   * The values for one operation, by name of the parameter; its id goes before its path, and both
   * before the general value.
   */
  of(operationId: string, path: string, parameters: readonly string[]): (name: string) => unknown {
    const file = this.#file;
    if (file === undefined) return () => undefined;
    for (const key of [operationId, path]) {
      const names = this.#operations.get(key) ?? new Set();
      for (const name of parameters) names.add(name);
      this.#operations.set(key, names);
    }
    for (const name of parameters) this.#parameters.add(name);
    return (name) => {
      const at = (...keys: readonly string[]): unknown => exactValue(nodeAt(file, keys)) ?? undefined;
      const general = at(name);
      return at(operationId, name) ?? at(path, name) ?? (isObject(general) ? undefined : general);
    };
  }

  /**
   * Reports names in the file that the document does not have. Otherwise a misspelt value would be
   * ignored silently.
   */
  reportUnknownNames(problems: Problems): void {
    const file = this.#file;
    if (!file || !isObject(file.value)) return;
    for (const [name, value] of Object.entries(file.value)) {
      const own = this.#operations.get(name);
      if (own && isObject(value)) {
        for (const inner of Object.keys(value))
          if (!own.has(inner))
            problems.error(
              nodeAt(file, [name, inner]),
              `"${name}" has no parameter "${inner}"`,
              hintOf(inner, [...own]),
            );
      } else if (!this.#parameters.has(name)) {
        const known = [...this.#operations.keys(), ...this.#parameters];
        problems.error(
          childNode(file, name),
          `no operation, path or parameter is called "${name}"`,
          hintOf(name, known),
        );
      }
    }
  }
}

const hintOf = (name: string, known: readonly string[]): string => {
  const meant = nearestName(name, known);
  return meant === undefined ? `Known are ${known.slice(0, 8).join(', ')}.` : `Did you mean "${meant}"?`;
};

/**
 * Reads the PARAMETERS file: a YAML or JSON object.
 * @throws {ContractError} when it is not readable or no object
 */
export const readGivenParameters = (file: string | undefined): GivenValues => {
  if (file === undefined) return new GivenValues();
  const source = readSource(file);
  const node: Node = { source, path: [], value: source.value };
  if (isObject(source.value) && Object.keys(source.value).length > 0) return new GivenValues(node);
  if (source.value === null || isObject(source.value)) return new GivenValues();
  const hint = 'Write `name: value` for all operations, or the id or the path of an operation and its values below it.';
  throw new ContractError([{ ...source.positionOf([]), message: 'the parameters file must hold an object', hint }]);
};
