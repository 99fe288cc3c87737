import { exactValue } from './exact-number.js';
import { child, isArray, isObject, isScalar, type Path, valueAt } from './json-values.js';
import type { Operation, SecurityScheme } from './model.js';
import type { Problems } from './problems.js';
import { noRandomId, type RandomIds } from './random-ids.js';
import { childNode, type Node, type References } from './references.js';
import { serialise, styleOf } from './serialise.js';

/**
 * Parameter values that a person gave, by operation id and then name, or by name for every
 * operation.
 */
export type GivenParameters = Readonly<Record<string, unknown>>;

/** What a request needs of the document's parameters, or the sentence that says what is missing. */
export type FilledRequest =
  | { readonly target: string; readonly headers: Operation['headers'] }
  /** `parameters`: names of those that have no value. */
  | { readonly reason: string; readonly parameters: readonly string[] };

interface Parameter {
  readonly node: Node;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}

/**
 * Header parameters that OpenAPI tells to ignore (3.1, section 4.8.12.1): media types and security
 * speak of them.
 */
const spokenOfElsewhere = new Set(['accept', 'content-type', 'authorization']);

/** What a header field may be called (RFC 9110, section 5.6.2). */
export const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Path-level and operation-level parameters; the latter win by name and place. */
const parametersOf = (pathItems: readonly Node[], operation: Node, references: References): readonly Parameter[] => {
  const found = new Map<string, Parameter>();
  for (const list of [...pathItems, operation].map((each) => childNode(each, 'parameters'))) {
    if (!isArray(list.value)) continue;
    for (const index of list.value.keys()) {
      const node = references.resolve(childNode(list, index));
      if (!node || !isObject(node.value)) continue;
      const { name, in: place, required } = node.value;
      if (typeof name !== 'string' || typeof place !== 'string') continue;
      found.set(`${place} ${name}`, { node, name, in: place, required: required === true || place === 'path' });
    }
  }
  return [...found.values()];
};

const holdsValue = ({ value }: Node): boolean => value !== undefined && value !== null;

const itemsOf = (list: Node): readonly Node[] =>
  isArray(list.value) ? [...list.value.keys()].map((index) => childNode(list, index)) : [];

const schemaExamples = (schema: Node | undefined, references: References, depth = 0): readonly Node[] => {
  if (!schema || !isObject(schema.value)) return [];
  const at = (...path: Path): Node => childNode(schema, ...path);
  const own = [at('example'), ...itemsOf(at('examples')), at('default'), ...itemsOf(at('enum')), at('const')];
  const inherited = depth > 4 ? [] : itemsOf(at('allOf'));
  return [
    ...own.filter(holdsValue),
    ...inherited.flatMap((part) => schemaExamples(references.resolve(part), references, depth + 1)),
  ];
};

const namedExamples = (examples: Node, references: References): readonly Node[] =>
  Object.keys(isObject(examples.value) ? examples.value : {}).flatMap((name) => {
    const example = references.resolve(childNode(examples, name));
    return example ? [childNode(example, 'value'), childNode(example, 'dataValue')].filter(holdsValue) : [];
  });

const examplesOf = (holder: Node, references: References): readonly Node[] => [
  ...[childNode(holder, 'example')].filter(holdsValue),
  ...namedExamples(childNode(holder, 'examples'), references),
  ...schemaExamples(references.resolve(childNode(holder, 'schema')), references),
];

/** The values that the document itself offers for a parameter, those that are meant most first. */
const documentedValues = ({ node }: Parameter, references: References): readonly unknown[] => {
  const content = child(node.value, 'content');
  const mediaType = isObject(content) ? Object.keys(content)[0] : undefined;
  const holder = mediaType === undefined ? node : childNode(node, 'content', mediaType);
  const values = examplesOf(holder, references).map(exactValue);
  if (mediaType === undefined || mediaType === 'application/x-www-form-urlencoded') return values;
  return values.map((value) => (isScalar(value) ? value : JSON.stringify(value)));
};

/**
 * Characters that a path segment may hold as they are (RFC 3986, section 3.3); `%` is taken as an
 * escape already made.
 */
const literal = (path: string): string =>
  /^[A-Za-z0-9\-._~/]*$/.test(path) ? path : path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%?]/gu, encodeURIComponent);

const missing = (parameter: Parameter, operationId: string): string =>
  `The document gives no value for the required ${parameter.in} parameter "${parameter.name}". ` +
  `Give one under "${operationId}" in the PARAMETERS file, or an example in the document.`;

const unwritable = (parameter: Parameter, operationId: string, given: boolean): string => {
  const style = styleOf(parameter.node.value, parameter.in);
  const why =
    parameter.in === 'header'
      ? 'a header field holds one line of Latin-1 text, or a list of it'
      : `the style ${String(style ?? 'of a whole query')} has no form for it`;
  return (
    `The value that ${given ? 'the PARAMETERS file' : 'the document'} gives for the required ${parameter.in} parameter "${parameter.name}" ` +
    `cannot be written: ${why}. Give another under "${operationId}" in the PARAMETERS file.`
  );
};

const isPlaceOf = ({ in: place, field }: Pick<SecurityScheme, 'in' | 'field'>, parameter: Parameter): boolean =>
  place === parameter.in &&
  (place === 'header' ? field.toLowerCase() === parameter.name.toLowerCase() : field === parameter.name);

/** Turns a path template and its parameters into the request target and header fields to send. */
export class Parameters {
  readonly #references: References;
  readonly #problems: Problems;
  readonly #given: GivenParameters;
  readonly #givenNode: Node | undefined;
  /** Members of the parameters file that an operation or a parameter goes by. */
  readonly #known = new Set<string>();

  constructor(references: References, problems: Problems, given: GivenParameters, givenNode?: Node) {
    this.#references = references;
    this.#problems = problems;
    this.#given = given;
    this.#givenNode = givenNode;
  }

  /** Members of the parameters file that no operation and no parameter of the document goes by. */
  get unknownNames(): readonly string[] {
    return Object.keys(this.#given).filter((name) => !this.#known.has(name));
  }

  #givenValue(operationId: string, name: string): unknown {
    const exact = (...path: Path): unknown =>
      this.#givenNode === undefined ? valueAt(this.#given, path) : exactValue(childNode(this.#givenNode, ...path));
    const own = exact(operationId, name);
    if (own !== undefined) return own;
    const general = exact(name);
    return isObject(general) ? undefined : general;
  }

  /**
   * @param keys where security schemes put the keys of this operation: a parameter there repeats
   * the scheme, and is left to it
   * @param randomIds in place of every value that was given or documented
   */
  fill(
    template: string,
    operationId: string,
    pathItems: readonly Node[],
    operation: Node,
    keys: readonly Pick<SecurityScheme, 'in' | 'field'>[],
    randomIds?: RandomIds,
  ): FilledRequest {
    const parameters = parametersOf(pathItems, operation, this.#references);
    const declared = new Map(parameters.filter((each) => each.in === 'path').map((each) => [each.name, each]));
    for (const name of [operationId, ...parameters.map((each) => each.name)]) this.#known.add(name);
    const headers: Operation['headers'][number][] = [];
    const cookies: string[] = [];
    const query: string[] = [];
    const reasons: string[] = [];
    const unfilled: string[] = [];

    const writtenAtRandom = ({ node, name, in: place }: Parameter, ids: RandomIds): string | undefined => {
      const standIn = ids.standInFor(node, name);
      const text = standIn === undefined ? undefined : serialise(node.value, name, place, standIn);
      if (text !== undefined) return text;
      reasons.push(noRandomId(place, name));
      unfilled.push(`${place} ${name}`);
      return undefined;
    };

    const written = (parameter: Parameter): string | undefined => {
      if (randomIds) return writtenAtRandom(parameter, randomIds);
      const given = this.#givenValue(operationId, parameter.name) ?? undefined;
      // Nothing is left of a path segment by an empty text.
      const offered = (given === undefined ? documentedValues(parameter, this.#references) : [given]).filter(
        (value) => value !== '' || parameter.in !== 'path',
      );
      let text: string | undefined;
      for (const value of offered) text ??= serialise(parameter.node.value, parameter.name, parameter.in, value);
      const before = reasons.length;
      if (offered.length === 0 || (text === '' && parameter.in === 'path'))
        reasons.push(missing(parameter, operationId));
      else if (text === undefined) reasons.push(unwritable(parameter, operationId, given !== undefined));
      else if (parameter.in === 'header' && !token.test(parameter.name))
        reasons.push(`No header field can be called "${parameter.name}" (RFC 9110, section 5.1).`);
      if (reasons.length > before) unfilled.push(`${parameter.in} ${parameter.name}`);
      return text;
    };

    const path = template.split(/\{[^{}]*\}/).map(literal);
    const names = [...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? '');
    let target = path[0] ?? '';
    for (const [index, name] of names.entries()) {
      const parameter = declared.get(name);
      if (parameter) target += written(parameter) ?? '';
      else
        this.#problems.error(
          operation,
          `path parameter "${name}" of ${template} is not declared`,
          `Add it to parameters with \`in: path\` and \`required: true\`, or take {${name}} out of the path.`,
        );
      target += path[index + 1] ?? '';
    }

    for (const parameter of parameters) {
      if (parameter.in === 'path' || !parameter.required) continue;
      if (keys.some((key) => isPlaceOf(key, parameter))) continue;
      if (parameter.in === 'header' && spokenOfElsewhere.has(parameter.name.toLowerCase())) continue;
      const text = written(parameter);
      if (text === undefined) continue;
      if (parameter.in === 'header') headers.push([parameter.name, text]);
      else if (parameter.in === 'cookie') cookies.push(text);
      else query.push(text);
    }
    if (cookies.length > 0) headers.push(['Cookie', cookies.join('; ')]);
    if (query.length > 0) target += `${target.includes('?') ? '&' : '?'}${query.join('&')}`;
    return reasons.length > 0 ? { reason: reasons.join(' '), parameters: unfilled } : { target, headers };
  }
}
