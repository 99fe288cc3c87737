import type { BodyFit } from './body-validator.js';
import type { MediaTypeSchema } from './model.js';

/** What a body is held against, and the body. */
export interface BodyRequest {
  readonly id: number;
  /** Number of the schema. */
  readonly schema: number;
  /** The schema itself, the first time. */
  readonly described?: Pick<MediaTypeSchema, 'mediaType' | 'schema'>;
  /** What it refers to and was not sent before, by `$ref`. */
  readonly added: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export type BodyReply =
  | { readonly id: number; readonly fit: BodyFit | 'no JSON' }
  /** A schema begins or ends to be compiled: that takes its time, and an end comes. */
  | { readonly id: number; readonly compiling: boolean };
