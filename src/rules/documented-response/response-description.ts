import type { DocumentedResponse, MediaTypeSchema, Operation } from '../../contract/model.js';

/**
 * Which part of a document describes an answer. Pure functions: the engine asks before the body is
 * gone, the judges afterwards.
 */

/**
 * The response that the document describes for a status: the status itself, its range (`2XX`),
 * `default`.
 */
export const responseFor = ({ responses }: Operation, status: number): DocumentedResponse | undefined =>
  [String(status), `${String(status).charAt(0)}XX`, 'default']
    .map((name) => responses.find((response) => response.status === name))
    .find((response) => response !== undefined);

const bare = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

/** Parameters of a media type, each as `name=value` in lower case without quotes. */
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

/**
 * Several descriptions differ only in the parameters of their media type, and the answer does not
 * show which one applies.
 */
export interface Undecided {
  readonly several: readonly MediaTypeSchema[];
}

/**
 * Of several descriptions of one media type: the one whose parameters the answer has, and of
 * several such the one with most parameters.
 */
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
 * The description of a media type: the most specific that fits it (OpenAPI 3.1, section 4.8.17).
 * @param contentType as the answer has it, parameters included
 */
export const contentFor = (
  { content }: Pick<DocumentedResponse, 'content'>,
  contentType: string,
): MediaTypeSchema | Undecided | undefined => {
  const mediaType = bare(contentType);
  return [mediaType, `${mediaType.split('/')[0] ?? ''}/*`, '*/*']
    .map((name) =>
      byParameters(
        content.filter((described) => bare(described.mediaType) === name),
        contentType,
      ),
    )
    .find((described) => described !== undefined);
};

/**
 * Whether a key of `content` is a media type or a media range. Documents also write `json`, or
 * several types in one key.
 */
export const isMediaRange = (name: string): boolean => /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/.test(bare(name));

/** JSON text as a whole; sequences of JSON texts are no JSON text. */
export const isJson = (mediaType: string): boolean => /^(?:application|text)\/(?:[^;]+\+)?json$/.test(mediaType);

/** Whether the document says anything about the body of some answer. */
export const describesBodies = ({ method, responses }: Operation): boolean =>
  method !== 'HEAD' && responses.some(({ content }) => content.length > 0);
