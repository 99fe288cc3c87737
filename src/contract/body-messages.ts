import type { BodyFit } from './body-validator.js';
import type { MediaTypeSchema } from './model.js';

/** A body to check, and its schema. */
export interface BodyRequest {
  readonly id: number;
  /** Number of the schema. */
  readonly schema: number;
  /** The schema itself, on first use. */
  readonly described?: Pick<MediaTypeSchema, 'mediaType' | 'schema'>;
  /** Schemas that it refers to and that were not sent before, by `$ref`. */
  readonly added: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export type BodyReply =
  | { readonly id: number; readonly fit: BodyFit | 'no-json' }
  /** Compilation of a schema starts or ends; it has its own deadline. */
  | { readonly id: number; readonly compiling: boolean };
