import { child, isArray, isObject, isScalar } from './json-values.js';
import type { MissingParameter } from './model.js';
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
