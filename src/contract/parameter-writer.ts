import { isObject } from '../collections.js';
import { token } from '../names.js';
import type { FilledIn, MissingParameter, Operation, SecurityScheme } from './model.js';
import { childNode, type Node } from './node.js';
import { serialise, styleOf } from './parameter-style.js';
import {
  documentedValues,
  type GivenValues,
  isChosen,
  isExampled,
  noRandomId,
  type Parameter,
  type RandomIds,
  typeOf,
} from './parameter-values.js';
import type { References } from './references.js';

/** What a request needs of the document's parameters, or the sentence that says what is missing. */
export type FilledRequest =
  | {
      readonly target: string;
      readonly headers: Operation['headers'];
      /** Parameters of the path that examples stand for. */
      readonly exampled: readonly MissingParameter[];
      readonly chosen: NonNullable<Operation['chosen']>;
      readonly optional: NonNullable<Operation['optional']>;
      readonly parameterNames: NonNullable<Operation['parameterNames']>;
      readonly otherTarget?: string;
    }
  /**
   * `parameters`: names of those that have no value. `missing`: set where nothing but values is
   * missing.
   */
  | { readonly reason: string; readonly parameters: readonly string[]; readonly missing?: readonly MissingParameter[] };

/** An operation whose parameters are filled in. */
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

/**
 * Stands for a value while it is written by the style of its parameter: no style encodes letters.
 */
const standIn = 'ValueOfTheParameter';

/** Writes the values of one operation's parameters, and notes for which there is none. */
export class ParameterWriter {
  readonly #use: ParameterUse;
  readonly #references: References;
  readonly #given: ReturnType<GivenValues['of']>;
  readonly #reasons: string[] = [];
  readonly #unfilled: string[] = [];
  readonly #missing: MissingParameter[] = [];
  readonly #exampled: MissingParameter[] = [];
  readonly #chosen: string[] = [];

  /** @param given the values of the PARAMETERS file, by name */
  constructor(use: ParameterUse, references: References, given: ReturnType<GivenValues['of']>) {
    this.#use = use;
    this.#references = references;
    this.#given = given;
  }

  /** Why the request cannot be sent. */
  get reasons(): readonly string[] {
    return this.#reasons;
  }

  /** Parameters of the path that examples stand for. */
  get exampled(): readonly MissingParameter[] {
    return this.#exampled;
  }

  /** Parameters outside the path whose value PARAMETERS or an example chooses. */
  get chosen(): readonly string[] {
    return this.#chosen;
  }

  isGiven(name: string): boolean {
    return this.#given(name) !== undefined;
  }

  whyUnusable(): FilledRequest {
    const unusable = { reason: this.#reasons.join(' '), parameters: this.#unfilled };
    return this.#missing.length === this.#reasons.length ? { ...unusable, missing: this.#missing } : unusable;
  }

  /** The text of a parameter; where there is none, the reason is noted. */
  written(parameter: Parameter): string | undefined {
    const { randomIds, values, operationId } = this.#use;
    if (randomIds) return this.#writtenAtRandom(parameter, randomIds);
    const { name, in: place, node } = parameter;
    const own = this.#given(name);
    const filled = own === undefined ? values?.get(name) : undefined;
    if (filled === undefined) return this.#writtenValue(parameter, own);
    const form = serialise(node.value, name, place, standIn);
    if (form === undefined) this.#reasons.push(unwritable(parameter, operationId, false));
    return form?.replace(standIn, () => filled);
  }

  /** The parameter with the last value that the document lists for it, if that is another one. */
  otherwise(parameter: Parameter, text: string): string {
    if (this.#use.randomIds || isExampled(parameter, this.#references)) return text;
    return (
      documentedValues(parameter, this.#references)
        .map((value) => serialise(parameter.node.value, parameter.name, parameter.in, value))
        .findLast((other) => other !== undefined && other !== '' && other !== text) ?? text
    );
  }

  #writtenAtRandom({ node, name, in: place }: Parameter, ids: RandomIds): string | undefined {
    const id = ids.standInFor(node, name);
    const text = id === undefined ? undefined : serialise(node.value, name, place, id);
    if (text !== undefined) return text;
    this.#reasons.push(noRandomId(place, name));
    this.#unfilled.push(`${place} ${name}`);
    return undefined;
  }

  /** @param own the value of the PARAMETERS file */
  #writtenValue(parameter: Parameter, own: unknown): string | undefined {
    const { name, in: place, node } = parameter;
    const { operationId } = this.#use;
    // Nothing is left of a path segment by an empty text.
    const offered = (own === undefined ? documentedValues(parameter, this.#references) : [own]).filter(
      (value) => value !== '' || place !== 'path',
    );
    let text: string | undefined;
    for (const value of offered) text ??= serialise(node.value, name, place, value);
    const before = this.#reasons.length;
    if (offered.length === 0 || (text === '' && place === 'path')) {
      this.#reasons.push(noValue(parameter, operationId));
      this.#missing.push(missingParameter(parameter, this.#references));
    } else if (text === undefined) this.#reasons.push(unwritable(parameter, operationId, own !== undefined));
    else if (place === 'header' && !token.test(name))
      this.#reasons.push(`No header field can be called "${name}" (RFC 9110, section 5.1).`);
    if (this.#reasons.length > before) this.#unfilled.push(`${place} ${name}`);
    else if (place !== 'path' && isChosen(parameter, own, this.#references)) this.#chosen.push(name);
    else if (place === 'path' && own === undefined && isExampled(parameter, this.#references))
      this.#exampled.push(missingParameter(parameter, this.#references));
    return text;
  }
}
