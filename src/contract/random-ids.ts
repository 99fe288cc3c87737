import { isArray, isObject } from './json-values.js';
import type { Operation, RandomId } from './model.js';
import { childNode, itemNodes, type Node } from './node.js';
import type { References } from './references.js';

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
