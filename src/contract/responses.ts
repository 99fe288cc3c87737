import { isObject, lazy } from '../collections.js';
import type { DocumentedResponse, MediaTypeSchema, SourcePosition } from './model.js';
import { childNode, memberNodes, type Node, positionOf } from './node.js';
import type { SchemaConverter } from './portable-schema.js';
import type { References } from './references.js';

interface ResponseContext {
  readonly references: References;
  readonly schemas: SchemaConverter;
}

/** Positions and schemas are computed on demand, since most runs use few of them. */
class DocumentedContent implements MediaTypeSchema {
  readonly mediaType: string;
  readonly #at: Node;
  readonly #schema: Node;
  readonly #context: ResponseContext;

  constructor(mediaType: string, at: Node, described: Node, context: ResponseContext) {
    this.mediaType = mediaType;
    this.#at = at;
    this.#schema = childNode(described, 'schema');
    this.#context = context;
  }

  get position(): SourcePosition {
    return positionOf(this.#at);
  }

  get schema(): unknown {
    const { references, schemas } = this.#context;
    const isDescribed = this.#schema.value !== undefined && !isFile(references.resolve(this.#schema)?.value);
    return isDescribed ? schemas.portable(this.#schema) : undefined;
  }
}

/**
 * Any sequence of octets (OpenAPI 3.0, section 4.4), such as a file of JSON, which is no string.
 */
const isFile = (schema: unknown): boolean => isObject(schema) && schema.type === 'string' && schema.format === 'binary';

class DescribedResponse implements DocumentedResponse {
  readonly status: string;
  readonly refusal?: true;
  readonly fields?: readonly string[];
  readonly #at: Node;
  readonly #content: () => readonly MediaTypeSchema[];

  constructor(status: string, at: Node, response: Node, context: ResponseContext) {
    const { references } = context;
    const fields = requiredFieldsOf(response, references);
    this.status = status.toUpperCase().replace('DEFAULT', 'default');
    if (childNode(response, 'x-access-refusal').value === true) this.refusal = true;
    if (fields.length > 0) this.fields = fields;
    this.#at = at;
    this.#content = lazy(() =>
      memberNodes(childNode(response, 'content')).flatMap(([mediaType, body]) => {
        const described = references.resolve(body);
        return described ? [new DocumentedContent(mediaType, body, described, context)] : [];
      }),
    );
  }

  get content(): readonly MediaTypeSchema[] {
    return this.#content();
  }

  get position(): SourcePosition {
    return positionOf(this.#at);
  }
}

/**
 * Header fields that a response always has. A description of Content-Type is ignored (OpenAPI 3.1,
 * section 4.8.17).
 */
const requiredFieldsOf = (response: Node, references: References): readonly string[] => {
  const isRequired = ([name, written]: readonly [string, Node]): boolean => {
    const field = references.resolve(written);
    return name.toLowerCase() !== 'content-type' && field !== undefined && childNode(field, 'required').value === true;
  };
  return memberNodes(childNode(response, 'headers'))
    .filter(isRequired)
    .map(([name]) => name);
};

/** Whether `responses` has a `default` without content, which allows every answer. */
export const hasSilentDefault = (operation: Node, references: References): boolean => {
  const responses = childNode(operation, 'responses');
  if (!isObject(responses.value) || responses.value.default === undefined) return false;
  const response = references.resolve(childNode(responses, 'default'));
  return response !== undefined && !isObject(childNode(response, 'content').value);
};

/** The documented responses of an operation. A `default` without content promises nothing. */
export const responsesOf = (operation: Node, context: ResponseContext): readonly DocumentedResponse[] => {
  const found = memberNodes(childNode(operation, 'responses')).flatMap(([status, at]): DocumentedResponse[] => {
    const response = status.startsWith('x-') ? undefined : context.references.resolve(at);
    return response ? [new DescribedResponse(status, at, response, context)] : [];
  });
  return found.some(({ status, content }) => status !== 'default' || content.length > 0) ? found : [];
};
