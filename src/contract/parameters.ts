import { isObject } from '../collections.js';
import { token } from '../names.js';
import { withQuery } from '../urls.js';
import type { Operation } from './model.js';
import { childNode, itemNodes, type Node, type Problems } from './node.js';
import { serialise } from './parameter-style.js';
import { documentedValues, type GivenValues, optionalValue, type Parameter } from './parameter-values.js';
import { type FilledRequest, type ParameterUse, ParameterWriter } from './parameter-writer.js';
import type { References } from './references.js';
import { isSamePlace } from './security-schemes.js';

/**
 * Header parameters that are ignored (OpenAPI 3.1, section 4.8.12.1): media types and security
 * schemes describe them.
 */
const spokenOfElsewhere = new Set(['accept', 'content-type', 'authorization']);

/** Path-level and operation-level parameters; the latter win by name and place. */
const parametersOf = (pathItems: readonly Node[], operation: Node, references: References): readonly Parameter[] => {
  const found = new Map<string, Parameter>();
  for (const list of [...pathItems, operation].map((each) => childNode(each, 'parameters'))) {
    for (const item of itemNodes(list)) {
      const node = references.resolve(item);
      if (!node || !isObject(node.value)) continue;
      const { name, in: place, required } = node.value;
      if (typeof name !== 'string' || typeof place !== 'string') continue;
      found.set(`${place} ${name}`, { node, name, in: place, required: required === true || place === 'path' });
    }
  }
  return [...found.values()];
};

/**
 * Characters that a path segment may hold as they are (RFC 3986, section 3.3); `%` is taken as an
 * escape already made.
 */
const literal = (path: string): string =>
  /^[A-Za-z0-9\-._~/]*$/.test(path) ? path : path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%?]/gu, encodeURIComponent);

/** Where a parameter outside the path can be sent, if it can. */
const placeOutsidePath = ({ name, in: place }: Parameter): 'query' | 'header' | undefined =>
  place === 'query' || (place === 'header' && token.test(name)) ? place : undefined;

const optionalParameter = (parameter: Parameter, references: References): NonNullable<Operation['optional']> => {
  const { name, node } = parameter;
  const place = placeOutsidePath(parameter);
  const value = place && optionalValue(parameter, references);
  const text = place && value !== undefined ? serialise(node.value, name, place, value) : undefined;
  if (text === undefined || text === '') return [];
  return [place === 'query' ? text : [name, text]];
};

/** A parameter that a path names and nothing describes. */
const undeclared = (name: string, { source, path }: Node): Parameter => ({
  node: { source, path, value: { name, in: 'path', schema: { type: 'string' } } },
  name,
  in: 'path',
  required: true,
});

/**
 * Whether `requestBody` or a security scheme describes a header field. Where there is no
 * `requestBody`, a Content-Type that the document requires all the same is sent: some services read
 * the key of no other request.
 */
const isDescribedElsewhere = (
  { name, in: place, required }: Parameter,
  operation: Node,
  hasValue: () => boolean,
): boolean => {
  const field = name.toLowerCase();
  if (place !== 'header' || !spokenOfElsewhere.has(field)) return false;
  const hasBody = childNode(operation, 'requestBody').value !== undefined;
  return !(required && field === 'content-type' && !hasBody && hasValue());
};

/** A request target, and the one with the last values that the document lists. */
interface WrittenTarget {
  readonly target: string;
  readonly other: string;
}

/** Turns path templates and parameters into the request targets and header fields to send. */
export class ParameterFiller {
  readonly #references: References;
  readonly #problems: Problems;
  readonly #given: GivenValues;

  constructor(references: References, problems: Problems, given: GivenValues) {
    this.#references = references;
    this.#problems = problems;
    this.#given = given;
  }

  fill(use: ParameterUse): FilledRequest {
    const parameters = parametersOf(use.pathItems, use.operation, this.#references);
    // Literal texts and, between them, the names in braces.
    const parts = use.template.split(/\{([^{}]*)\}/);
    const names = [...parameters.map(({ name }) => name), ...parts.filter((_, index) => index % 2 === 1)];
    const writer = new ParameterWriter(use, this.#references, this.#given.of(use.operationId, use.template, names));
    const path = this.#writePath(use, parts, parameters, writer);
    const { query, otherQuery, ...fields } = this.#writeFields(use, parameters, writer);
    if (writer.reasons.length > 0) return writer.whyUnusable();
    const target = withQuery(path.target, query);
    const otherTarget = withQuery(path.other, otherQuery);
    const { exampled, chosen } = writer;
    return { target, exampled, chosen, ...fields, ...(otherTarget === target ? {} : { otherTarget }) };
  }

  /** @param parts of the template: texts and, between them, names of parameters */
  #writePath(
    { template, operation }: ParameterUse,
    parts: readonly string[],
    parameters: readonly Parameter[],
    writer: ParameterWriter,
  ): WrittenTarget {
    const declared = new Map(parameters.filter((each) => each.in === 'path').map((each) => [each.name, each]));
    let target = '';
    let other = '';
    for (const [index, name] of parts.entries()) {
      if (index % 2 === 0) {
        target += literal(name);
        other += literal(name);
        continue;
      }
      const parameter = declared.get(name);
      if (!parameter)
        this.#problems.warn(
          operation,
          `path parameter "${name}" of ${template} is not declared`,
          `It is taken for a text. Add it to parameters with \`in: path\` and \`required: true\`, or take {${name}} out of the path.`,
        );
      const used = parameter ?? undeclared(name, operation);
      const text = writer.written(used) ?? '';
      target += text;
      other += writer.otherwise(used, text);
    }
    return { target, other };
  }

  /** Writes the parameters outside the path. */
  #writeFields(
    { operation, keys, randomIds }: ParameterUse,
    parameters: readonly Parameter[],
    writer: ParameterWriter,
  ) {
    const headers: Operation['headers'][number][] = [];
    const cookies: string[] = [];
    const query: string[] = [];
    const otherQuery: string[] = [];
    const optional: NonNullable<Operation['optional']>[number][] = [];
    const parameterNames: NonNullable<Operation['parameterNames']>[number][] = [];
    for (const parameter of parameters) {
      const { name, in: place } = parameter;
      if (place === 'path' || keys.some((key) => isSamePlace(key, { in: place, field: name }))) continue;
      const hasValue = (): boolean => !randomIds && documentedValues(parameter, this.#references).length > 0;
      if (isDescribedElsewhere(parameter, operation, hasValue)) continue;
      const named = placeOutsidePath(parameter);
      if (named) parameterNames.push({ in: named, name });
      if (!parameter.required && (randomIds || !writer.isGiven(name))) {
        optional.push(...optionalParameter(parameter, this.#references));
        continue;
      }
      const text = writer.written(parameter);
      if (text === undefined) continue;
      if (place === 'header') headers.push([name, text]);
      else if (place === 'cookie') cookies.push(text);
      else {
        query.push(text);
        otherQuery.push(writer.otherwise(parameter, text));
      }
    }
    if (cookies.length > 0) headers.push(['Cookie', cookies.join('; ')]);
    return { headers, query, otherQuery, optional, parameterNames };
  }
}
