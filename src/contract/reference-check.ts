import { type Path, pointerOf } from './json-values.js';
import { childNode } from './node.js';
import type { Problems } from './problems.js';
import type { References } from './references.js';
import type { Source } from './source.js';
import { consequences, toleranceAt } from './tolerated-errors.js';
import { forEachObject } from './walk.js';

/**
 * Follows every `$ref` of every file before the run, so that broken ones are known at once.
 * @returns where schemas of the document refer to nothing in it: no body can be held against them
 */
export const checkReferences = (root: Source, references: References, problems: Problems): readonly Path[] => {
  const checked = new Set<Source>();
  const waiting: Source[] = [root];
  const inSchemas: Path[] = [];
  for (let source = waiting.pop(); source; source = waiting.pop()) {
    checked.add(source);
    checkFile(
      source,
      references,
      (path, $ref) => source === root && tolerates(root, path, $ref, { problems, inSchemas }),
    );
    waiting.push(...references.sources.filter((each) => !checked.has(each)));
  }
  return inSchemas;
};

const checkFile = (
  source: Source,
  references: References,
  isTolerated: (path: Path, $ref: string) => boolean,
): void => {
  const good = new Set<string>();
  forEachObject(source.value, (value, path) => {
    const { $ref } = value;
    if (typeof $ref !== 'string' || good.has($ref)) return;
    const node = { source, path, value };
    if ($ref.startsWith('#/') && references.find(node, $ref) === undefined && isTolerated(path, $ref)) return;
    if (references.follow(node, $ref)) good.add($ref);
  });
};

/** A broken reference inside the document costs a schema at most, where only a body hangs on it. */
const tolerates = (
  root: Source,
  path: Path,
  $ref: string,
  { problems, inSchemas }: { readonly problems: Problems; readonly inSchemas: Path[] },
): boolean => {
  const tolerance = $ref.startsWith('#/') ? toleranceAt(pointerOf(path)) : undefined;
  if (tolerance === undefined) return false;
  const node = { source: root, path, value: undefined };
  if (tolerance === 'in a schema') inSchemas.push(path);
  problems.warn(childNode(node, '$ref'), `$ref ${JSON.stringify($ref)} names nothing`, consequences[tolerance]);
  return true;
};
