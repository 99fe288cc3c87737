import type { ErrorObject } from 'ajv';
import type { Path } from './tree.js';

/**
 * Length of the part of `path` that leads to the Schema Object of a body, or to a shared one; `undefined` outside of them. The
 * schema of a parameter is none: what is sent hangs on it.
 */
const schemaAround = (path: Path): number | undefined => {
  if (path[0] === 'components' && path[1] === 'schemas') return path.length > 2 ? 3 : undefined;
  const content = path.findIndex((key, index) => key === 'content' && path[index + 2] === 'schema');
  return content === -1 || path.slice(0, content).includes('parameters') ? undefined : content + 3;
};

/** Where a schema has a slip: the slip, and every schema around it. */
export const schemasAround = (slip: Path): readonly Path[] => {
  const start = schemaAround(slip) ?? slip.length;
  return Array.from({ length: slip.length - start + 1 }, (_, more) => slip.slice(0, start + more));
};

/** What a slip costs that has nothing to do with access, with parameters or with the structure of the document: a schema, or nothing. */
export type Harm = 'schema' | 'none';

/** What a complaint of the official schema costs; `undefined` where the document cannot be used. */
export const harmOf = ({ keyword, params }: ErrorObject, path: Path): Harm | undefined => {
  if (schemaAround(path) !== undefined) return 'schema';
  return keyword === 'required' && params.missingProperty === 'description' && path.at(-2) === 'responses'
    ? 'none'
    : undefined;
};
