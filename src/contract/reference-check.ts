import { type Path, pointerOf } from './json-values.js';
import { childNode } from './node.js';
import type { Problems } from './problems.js';
import type { References } from './references.js';
import type { Source } from './source.js';
import { consequences, toleranceAt } from './tolerated-errors.js';
import { forEachObject } from './walk.js';

/**
 * Follows every `$ref` of every file before the run, so that broken ones are known at once. A broken
 * reference inside the document is a warning where only a body hangs on it.
 * @returns where schemas of the document refer to nothing in it: no body can be held against them
 */
export const checkReferences = (root: Source, references: References, problems: Problems): readonly Path[] => {
  const checked = new Set<Source>();
  const waiting: Source[] = [root];
  const inSchemas: Path[] = [];
  for (let source = waiting.pop(); source; source = waiting.pop()) {
    const file = source;
    const good = new Set<string>();
    checked.add(file);
    forEachObject(file.value, (value, path) => {
      const { $ref } = value;
      if (typeof $ref !== 'string' || good.has($ref)) return;
      const node = { source: file, path, value };
      const isBroken = file === root && $ref.startsWith('#') && references.find(node, $ref) === undefined;
      const tolerance = isBroken ? toleranceAt(pointerOf(path)) : undefined;
      if (tolerance === 'in a schema') inSchemas.push(path);
      if (tolerance)
        problems.warn(childNode(node, '$ref'), `$ref ${JSON.stringify($ref)} names nothing`, consequences[tolerance]);
      else if (references.follow(node, $ref)) good.add($ref);
    });
    waiting.push(...references.sources.filter((each) => !checked.has(each)));
  }
  return inSchemas;
};
