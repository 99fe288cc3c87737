import { isObject } from './json-values.js';
import type { DocumentedResponse, MediaTypeSchema, SourcePosition } from './model.js';
import { childNode, type Node, positionOf } from './node.js';
import type { References } from './references.js';
import type { SchemaConverter } from './schema-converter.js';

const contentOf = (response: Node, references: References, schemas: SchemaConverter): readonly MediaTypeSchema[] => {
  const content = childNode(response, 'content');
  if (!isObject(content.value)) return [];
  return Object.keys(content.value).flatMap((mediaType) => {
    const described = references.resolve(childNode(content, mediaType));
    if (!described) return [];
    const schema = childNode(described, 'schema');
    const at = childNode(content, mediaType);
    if (schema.value === undefined)
      return [
        {
          mediaType,
          get position(): SourcePosition {
            return positionOf(at);
          },
        },
      ];
    return [
      {
        mediaType,
        get position(): SourcePosition {
          return positionOf(at);
        },
        get schema(): unknown {
          return schemas.portable(schema);
        },
      },
    ];
  });
};

/**
 * Header fields that a response always has. A description of Content-Type is ignored (OpenAPI 3.1,
 * section 4.8.17).
 */
const requiredFieldsOf = (response: Node, references: References): readonly string[] => {
  const headers = childNode(response, 'headers');
  if (!isObject(headers.value)) return [];
  return Object.keys(headers.value).filter((name) => {
    const field = references.resolve(childNode(headers, name));
    return name.toLowerCase() !== 'content-type' && field !== undefined && childNode(field, 'required').value === true;
  });
};

/** Whether `responses` has a `default` without content, which allows every answer. */
export const hasSilentDefault = (operation: Node, references: References): boolean => {
  const responses = childNode(operation, 'responses');
  if (!isObject(responses.value) || responses.value.default === undefined) return false;
  const response = references.resolve(childNode(responses, 'default'));
  return response !== undefined && !isObject(childNode(response, 'content').value);
};

/**
 * The documented responses of an operation. A `default` without content promises nothing. Positions
 * and schemas are computed on demand, since most runs use few of them.
 */
export const responsesOf = (
  operation: Node,
  references: References,
  schemas: SchemaConverter,
): readonly DocumentedResponse[] => {
  const responses = childNode(operation, 'responses');
  if (!isObject(responses.value)) return [];
  const found = Object.keys(responses.value).flatMap((status): DocumentedResponse[] => {
    if (status.startsWith('x-')) return [];
    const response = references.resolve(childNode(responses, status));
    if (!response) return [];
    const at = childNode(responses, status);
    const fields = requiredFieldsOf(response, references);
    return [
      {
        status: status.toUpperCase().replace('DEFAULT', 'default'),
        ...(childNode(response, 'x-access-refusal').value === true ? { refusal: true as const } : {}),
        ...(fields.length > 0 ? { fields } : {}),
        content: contentOf(response, references, schemas),
        get position(): SourcePosition {
          return positionOf(at);
        },
      },
    ];
  });
  return found.some(({ status, content }) => status !== 'default' || content.length > 0) ? found : [];
};
