import type { DocumentedResponse, MediaTypeSchema, Operation } from '../contract/model.js';

/** Which part of a document speaks of an answer. Pure; the engine asks before the body is gone, and the judges afterwards. */

/** The response that the document describes for a status: the status itself, its range (`2XX`), `default`. */
export const responseFor = ({ responses }: Operation, status: number): DocumentedResponse | undefined =>
  [String(status), `${String(status).charAt(0)}XX`, 'default']
    .map((name) => responses.find((response) => response.status === name))
    .find((response) => response !== undefined);

const bare = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

/** The description of a media type: the most specific that fits it (OpenAPI 3.1, section 4.8.17). */
export const contentFor = (
  { content }: Pick<DocumentedResponse, 'content'>,
  mediaType: string,
): MediaTypeSchema | undefined =>
  [mediaType, `${mediaType.split('/')[0] ?? ''}/*`, '*/*']
    .map((name) => content.find((described) => bare(described.mediaType) === name))
    .find((described) => described !== undefined);

/** JSON text as a whole; sequences of JSON texts are no JSON text. */
export const isJson = (mediaType: string): boolean => /^(?:application|text)\/(?:[^;]+\+)?json$/.test(mediaType);

/** Whether the document says anything about the body of some answer. */
export const describesBodies = ({ method, responses }: Operation): boolean =>
  method !== 'HEAD' && responses.some(({ content }) => content.length > 0);
