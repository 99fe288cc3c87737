import { parentPort } from 'node:worker_threads';
import { orUndefined } from '../collections.js';
import { type BodyFit, type BodyValidator, createBodyValidator } from './body-validator.js';
import { tooDeepIn } from './json-values.js';
import type { MediaTypeSchema } from './model.js';

/** The worker thread that validates bodies, so that a pattern cannot block the process. */

/** A body to check, and its schema. */
export interface BodyRequest {
  readonly id: number;
  readonly schema: number;
  /** The schema itself, on first use. */
  readonly described?: Pick<MediaTypeSchema, 'mediaType' | 'schema'>;
  /** Schemas that it refers to and that were not sent before, by `$ref`. */
  readonly added: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Only the first error is looked for. */
  readonly firstAlone?: boolean;
}

export type BodyReply =
  /** The worker has loaded its code. */
  | 'ready'
  | { readonly id: number; readonly fit: BodyFit | 'no-json' }
  /** Compilation of a schema starts or ends; it has its own deadline. */
  | { readonly id: number; readonly compiling: boolean }
  /** The fit, unless more errors are found. */
  | { readonly id: number; readonly first: BodyFit };

/** Deepest level of a body that is validated; recursive schemas recurse once per level. */
const maxBodyDepth = 1_000;

const port = parentPort;
if (!port) throw new Error('this is a worker thread');

const post = (answer: BodyReply): void => port.postMessage(answer);

const schemas: Record<string, unknown> = {};
const known = new Map<number, MediaTypeSchema>();
const position = { file: '', line: 0, column: 0 };
let current = 0;
const onCompile = (compiling: boolean): void => post({ id: current, compiling });
const validate: BodyValidator = createBodyValidator(
  { schemas },
  { onCompile, onFirst: (first) => post({ id: current, first }) },
);
const validateOnce: BodyValidator = createBodyValidator({ schemas }, { onCompile });

port.on('message', ({ id, schema, described, added, text, firstAlone }: BodyRequest) => {
  current = id;
  Object.assign(schemas, added);
  if (described) known.set(schema, { ...described, position });
  const of = known.get(schema);
  if (!of) throw new Error('a schema is sent before it is asked for');
  const body = orUndefined((): unknown => JSON.parse(text));
  if (body === undefined) return post({ id, fit: 'no-json' });
  post({
    id,
    fit: tooDeepIn(body, maxBodyDepth)
      ? { verdict: 'unclear', message: `is nested more than ${maxBodyDepth} levels deep` }
      : (firstAlone ? validateOnce : validate)(of, body),
  });
});
post('ready');
