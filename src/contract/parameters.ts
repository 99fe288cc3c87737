import { isObject } from '../collections.js';
import { token } from '../names.js';
import { withQuery } from '../urls.js';
import type { FilledIn, MissingParameter, Operation, SecurityScheme } from './model.js';
import { childNode, itemNodes, type Node, type Problems } from './node.js';
import {
  documentedValues,
  type GivenValues,
  isExampled,
  noRandomId,
  optionalValue,
  type Parameter,
  type RandomIds,
  typeOf,
} from './parameter-values.js';
import type { References } from './references.js';
import { isSamePlace } from './security.js';
import { serialise, styleOf } from './serialise.js';

/** What a request needs of the document's parameters, or the sentence that says what is missing. */
export type FilledRequest =
  | {
      readonly target: string;
      readonly headers: Operation['headers'];
      /** Parameters of the path that examples stand for. */
      readonly exampled: readonly MissingParameter[];
      readonly optional: NonNullable<Operation['optional']>;
      readonly otherTarget?: string;
    }
  /**
   * `parameters`: names of those that have no value. `missing`: set where nothing but values is
   * missing.
   */
  | { readonly reason: string; readonly parameters: readonly string[]; readonly missing?: readonly MissingParameter[] };

/** What a `FillRequest` is asked for. */
export interface ParameterUse {
  readonly template: string;
  readonly operationId: string;
  /** Path items and the operation; the latter win. */
  readonly pathItems: readonly Node[];
  readonly operation: Node;
  /**
   * Where security schemes put the keys of this operation: a parameter there repeats the scheme,
   * and is left to it.
   */
  readonly keys: readonly Pick<SecurityScheme, 'in' | 'field'>[];
  /** Texts for parameters that have no value of their own. */
  readonly values?: FilledIn;
  /** In place of every value that was given or documented. */
  readonly randomIds?: RandomIds;
}

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

const noValue = (parameter: Parameter, operationId: string): string =>
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

const missingParameter = ({ node, name, in: place }: Parameter, references: References): MissingParameter => {
  const { description } = isObject(node.value) ? node.value : {};
  return {
    name,
    in: place as MissingParameter['in'],
    ...typeOf(references.resolve(childNode(node, 'schema')), references),
    ...(typeof description === 'string' ? { description } : {}),
  };
};

const optionalParameter = (parameter: Parameter, references: References): NonNullable<Operation['optional']> => {
  const { name, in: place, node } = parameter;
  const isSendable = place === 'query' || (place === 'header' && token.test(name));
  const value = isSendable ? optionalValue(parameter, references) : undefined;
  const text = value === undefined ? undefined : serialise(node.value, name, place, value);
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
 * Stands for a value while it is written by the style of its parameter: no style encodes letters.
 */
const standIn = 'ValueOfTheParameter';

/** Turns a path template and its parameters into the request target and header fields to send. */
export const createFiller =
  (references: References, problems: Problems, given: GivenValues) =>
  ({ template, operationId, pathItems, operation, keys, values, randomIds }: ParameterUse): FilledRequest => {
    const parameters = parametersOf(pathItems, operation, references);
    const declared = new Map(parameters.filter((each) => each.in === 'path').map((each) => [each.name, each]));
    // Literal texts and, between them, the names in braces.
    const parts = template.split(/\{([^{}]*)\}/);
    const names = parts.filter((_, index) => index % 2 === 1);
    const givenFor = given.of(operationId, template, [...parameters.map(({ name }) => name), ...names]);
    const headers: Operation['headers'][number][] = [];
    const cookies: string[] = [];
    const query: string[] = [];
    const otherQuery: string[] = [];
    const reasons: string[] = [];
    const unfilled: string[] = [];
    const missing: MissingParameter[] = [];
    const exampled: MissingParameter[] = [];
    const optional: NonNullable<Operation['optional']>[number][] = [];

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
      const { name, in: place, node } = parameter;
      const own = givenFor(name);
      // Nothing is left of a path segment by an empty text.
      const offered = (own === undefined ? documentedValues(parameter, references) : [own]).filter(
        (value) => value !== '' || place !== 'path',
      );
      const filled = own === undefined ? values?.get(name) : undefined;
      if (filled !== undefined) {
        const form = serialise(node.value, name, place, standIn);
        if (form === undefined) reasons.push(unwritable(parameter, operationId, false));
        return form?.replace(standIn, () => filled);
      }
      let text: string | undefined;
      for (const value of offered) text ??= serialise(node.value, name, place, value);
      const before = reasons.length;
      if (offered.length === 0 || (text === '' && place === 'path')) {
        reasons.push(noValue(parameter, operationId));
        missing.push(missingParameter(parameter, references));
      } else if (text === undefined) reasons.push(unwritable(parameter, operationId, own !== undefined));
      else if (place === 'header' && !token.test(name))
        reasons.push(`No header field can be called "${name}" (RFC 9110, section 5.1).`);
      if (reasons.length > before) unfilled.push(`${place} ${name}`);
      else if (place === 'path' && own === undefined && isExampled(parameter, references))
        exampled.push(missingParameter(parameter, references));
      return text;
    };

    /**
     * `requestBody` describes Content-Type. Where there is none, a value that the document requires
     * all the same is sent: some services read the key of no other request.
     */
    const saysContentType = (parameter: Parameter): boolean =>
      parameter.required &&
      parameter.name.toLowerCase() === 'content-type' &&
      childNode(operation, 'requestBody').value === undefined &&
      documentedValues(parameter, references).length > 0;

    /** The parameter with the last value that the document lists for it, if that is another one. */
    const otherwise = (parameter: Parameter, text: string): string =>
      randomIds || isExampled(parameter, references)
        ? text
        : (documentedValues(parameter, references)
            .map((value) => serialise(parameter.node.value, parameter.name, parameter.in, value))
            .findLast((other) => other !== undefined && other !== '' && other !== text) ?? text);

    let target = '';
    let otherTarget = '';
    for (const [index, name] of parts.entries()) {
      if (index % 2 === 0) {
        target += literal(name);
        otherTarget += literal(name);
        continue;
      }
      const parameter = declared.get(name);
      if (!parameter)
        problems.warn(
          operation,
          `path parameter "${name}" of ${template} is not declared`,
          `It is taken for a text. Add it to parameters with \`in: path\` and \`required: true\`, or take {${name}} out of the path.`,
        );
      const used = parameter ?? undeclared(name, operation);
      const text = written(used) ?? '';
      target += text;
      otherTarget += otherwise(used, text);
    }

    for (const parameter of parameters) {
      if (parameter.in === 'path' || keys.some((key) => isSamePlace(key, { in: parameter.in, field: parameter.name })))
        continue;
      if (
        parameter.in === 'header' &&
        spokenOfElsewhere.has(parameter.name.toLowerCase()) &&
        (randomIds || !saysContentType(parameter))
      )
        continue;
      if (!parameter.required && (randomIds || givenFor(parameter.name) === undefined)) {
        optional.push(...optionalParameter(parameter, references));
        continue;
      }
      const text = written(parameter);
      if (text === undefined) continue;
      if (parameter.in === 'header') headers.push([parameter.name, text]);
      else if (parameter.in === 'cookie') cookies.push(text);
      else {
        query.push(text);
        otherQuery.push(otherwise(parameter, text));
      }
    }
    if (cookies.length > 0) headers.push(['Cookie', cookies.join('; ')]);
    target = withQuery(target, query);
    otherTarget = withQuery(otherTarget, otherQuery);
    if (reasons.length === 0)
      return { target, headers, exampled, optional, ...(otherTarget === target ? {} : { otherTarget }) };
    const unusable = { reason: reasons.join(' '), parameters: unfilled };
    return missing.length === reasons.length ? { ...unusable, missing } : unusable;
  };

export type FillRequest = ReturnType<typeof createFiller>;
