import { child, isArray, isObject, isScalar } from './json-values.js';
import type { MissingParameter, Operation, RandomId } from './model.js';
import { childNode, exactValue, itemNodes, memberNodes, type Node, nodeAt } from './node.js';
import type { References } from './references.js';

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
 * Whether a value of a parameter is an example, which a schema with a default or fixed values needs
 * not.
 */
export const isExampled = ({ node }: Parameter, references: References): boolean => {
  const schema = references.resolve(childNode(node, 'schema'));
  return !['default', 'enum', 'const'].some((keyword) => schema && child(schema.value, keyword) !== undefined);
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
 * if possible another than the default. Other texts are none, since they may be credentials.
 */
export const optionalValue = ({ node }: Pick<Parameter, 'node'>, references: References): unknown => {
  const schema = references.resolve(childNode(node, 'schema'));
  if (!schema || !isObject(schema.value)) return undefined;
  const { default: usual, enum: listed } = schema.value;
  if (isArray(listed)) return listed.find((value) => value !== null && value !== usual) ?? undefined;
  const { type } = typeOf(schema, references);
  if (type === 'boolean') return usual !== true;
  return type === 'integer' || type === 'number' ? (usual === 2 ? 3 : 2) : undefined;
};

/**
 * Parameter values for requests that may change something: random ids that name no entry. Given and
 * documented values are not used, since they may name one.
 */

type Kind = RandomId['kind'];

const uuidLength = 36;

const typesOf = (type: unknown): readonly unknown[] =>
  (isArray(type) ? type : [type]).filter((each) => each !== undefined && each !== 'null');

/** Whether a schema takes the value null alone. */
const takesNullAlone = ({ value }: Node): boolean => isObject(value) && value.type === 'null';

/** Whether every UUID fits what a schema says of a text. */
const takesUuids = ({ format, pattern, maxLength, minLength }: Readonly<Record<string, unknown>>): boolean =>
  (format === undefined ? pattern === undefined : format === 'uuid') &&
  (typeof maxLength !== 'number' || maxLength >= uuidLength) &&
  (typeof minLength !== 'number' || minLength <= uuidLength);

/** The kind of id that a schema takes; `any` where it says nothing of the type. */
const kindIn = (schema: Node | undefined, references: References, depth = 0): Kind | 'any' | undefined => {
  if (!schema || depth > 4) return undefined;
  const { value } = schema;
  if (!isObject(value)) return value === true ? 'any' : undefined;
  if ('enum' in value || 'const' in value) return undefined;
  const types = typesOf(value.type);
  if (types.length > 0 && !types.includes('string'))
    return types.includes('integer') || types.includes('number') ? 'integer' : undefined;
  const kindsOf = (keyword: string): readonly (Kind | 'any' | undefined)[] => {
    return itemNodes(childNode(schema, keyword))
      .flatMap((part) => references.resolve(part) ?? [])
      .filter((part) => !takesNullAlone(part))
      .map((part) => kindIn(part, references, depth + 1));
  };
  const all = kindsOf('allOf');
  const alternatives = [...kindsOf('anyOf'), ...kindsOf('oneOf')];
  const possible = alternatives.filter((kind) => kind !== undefined);
  if (all.includes(undefined) || (alternatives.length > 0 && possible.length === 0)) return undefined;
  const known = [...all, ...possible].find((kind) => kind !== 'any');
  if (known !== undefined) return known;
  if (!takesUuids(value)) return undefined;
  return types.length > 0 ? 'uuid' : 'any';
};

/** The random ids of one operation. */
export class RandomIds {
  readonly #operationId: string;
  readonly #references: References;
  readonly #made: RandomId[] = [];

  constructor(operationId: string, references: References) {
    this.#operationId = operationId;
    this.#references = references;
  }

  /**
   * A text that stands for the id until a run makes it; `undefined` where no random id fits the
   * schema.
   */
  standInFor(parameter: Node, name: string): string | undefined {
    const { value } = parameter;
    if (!isObject(value) || value.content !== undefined) return undefined;
    const schema = value.schema === undefined ? undefined : this.#references.resolve(childNode(parameter, 'schema'));
    const kind = value.schema === undefined ? 'any' : kindIn(schema, this.#references);
    if (kind === undefined) return undefined;
    const standIn = `RandomIdOfParameter${this.#made.length}x`;
    this.#made.push({ standIn, kind: kind === 'any' ? 'uuid' : kind, label: `${this.#operationId} ${name}` });
    return standIn;
  }

  get made(): Pick<Operation, 'randomIds'> {
    return this.#made.length > 0 ? { randomIds: this.#made } : {};
  }
}

/** Why a write is not asked for want of a random id. */
export const noRandomId = (place: string, name: string): string =>
  `No random id fits the required ${place} parameter "${name}", and a request that may change something is never sent with a value of PARAMETERS or of the document.`;

export const deletesWithoutId =
  'A DELETE is only sent at a random id, and this path has no parameter for one: it could take away what is there.';
