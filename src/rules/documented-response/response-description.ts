import type { DocumentedResponse, MediaTypeSchema, Operation } from '../../contract/model.js';

/**
 * Finds the part of a document that describes an answer. Pure functions, used when an answer
 * arrives (while its body is there) and again when it is judged.
 */

/** The documented response: by the status itself, by its range (`2XX`), or `default`. */
export const responseFor = (
  { responses }: Pick<Operation, 'responses'>,
  status: number,
): DocumentedResponse | undefined =>
  [String(status), `${String(status).charAt(0)}XX`, 'default']
    .map((name) => responses.find((response) => response.status === name))
    .find((response) => response !== undefined);

const typeAndSubtype = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

/** The parameters of a media type as `name=value`, in lower case and without quotes. */
const parametersOf = (mediaType: string): readonly string[] =>
  (mediaType.match(/;(?:"(?:\\.|[^"\\])*"|[^;"])*/g) ?? [])
    .map((part) =>
      part
        .slice(1)
        .split('=')
        .map((text) => text.trim()),
    )
    .filter(([name, ...value]) => name !== '' && value.length > 0)
    .map(([name = '', ...value]) => `${name}=${value.join('=').replace(/^"(.*)"$/s, '$1')}`.toLowerCase());

/** Descriptions that differ in media type parameters, none of which applies for certain. */
interface Undecided {
  readonly several: readonly MediaTypeSchema[];
}

/** The description with most parameters, all of which the answer has. */
const byParameters = (
  described: readonly MediaTypeSchema[],
  contentType: string,
): MediaTypeSchema | Undecided | undefined => {
  const [first, ...others] = described;
  if (!first || others.length === 0) return first;
  const sent = new Set(parametersOf(contentType));
  const fitting = described
    .map((each) => ({ each, parameters: parametersOf(each.mediaType) }))
    .filter(({ parameters }) => parameters.every((parameter) => sent.has(parameter)))
    .sort((a, b) => b.parameters.length - a.parameters.length);
  const [best, next] = fitting;
  if (!best || best.parameters.length === next?.parameters.length) return { several: described };
  return best.each;
};

/**
 * The description of a media type: the most specific one that fits (OpenAPI 3.1, section 4.8.17).
 * @param contentType the answer's Content-Type, with parameters
 */
export const contentFor = (
  { content }: Pick<DocumentedResponse, 'content'>,
  contentType: string,
): MediaTypeSchema | Undecided | undefined => {
  const mediaType = typeAndSubtype(contentType);
  // Some documents have `application/*+json`, for any subtype with that suffix.
  const ofSuffix = mediaType.replace(/\/.*\+/, '/*+');
  return [mediaType, ofSuffix, `${mediaType.split('/')[0] ?? ''}/*`, '*/*']
    .map((name) =>
      byParameters(
        content.filter((described) => typeAndSubtype(described.mediaType) === name),
        contentType,
      ),
    )
    .find((described) => described !== undefined);
};

/** Whether a key of `content` is a media type or range. Some documents have `json`. */
export const isMediaRange = (name: string): boolean => /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/.test(typeAndSubtype(name));

/** Whether a media type is JSON. A sequence of JSON texts, such as NDJSON, is not. */
export const isJson = (mediaType: string): boolean => /^(?:application|text)\/(?:[^;]+\+)?json$/.test(mediaType);

/** Whether the document describes the body of any response. */
export const describesBodies = ({ method, responses }: Operation): boolean =>
  method !== 'HEAD' && responses.some(({ content }) => content.length > 0);
