import { isObject } from './json-values.js';
import type { DocumentedResponse, MediaTypeSchema, SourcePosition } from './model.js';
import { childNode, memberNodes, type Node, positionOf } from './node.js';
import type { References } from './references.js';
import type { SchemaConverter } from './schema-converter.js';

const contentOf = (response: Node, references: References, schemas: SchemaConverter): readonly MediaTypeSchema[] =>
  memberNodes(childNode(response, 'content')).flatMap(([mediaType, at]) => {
    const described = references.resolve(at);
    if (!described) return [];
    const schema = childNode(described, 'schema');
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

/**
 * The documented responses of an operation. A `default` without content promises nothing. Positions
 * and schemas are computed on demand, since most runs use few of them.
 */
export const responsesOf = (
  operation: Node,
  references: References,
  schemas: SchemaConverter,
): readonly DocumentedResponse[] => {
  const found = memberNodes(childNode(operation, 'responses')).flatMap(([status, at]): DocumentedResponse[] => {
    const response = status.startsWith('x-') ? undefined : references.resolve(at);
    if (!response) return [];
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
