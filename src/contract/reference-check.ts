import type { References } from './references.js';
import type { Source } from './source.js';
import { forEachObject } from './walk.js';

/** Follows every `$ref` of every file before the run, so that broken ones are known at once. */
export const checkReferences = (root: Source, references: References): void => {
  const checked = new Set<Source>();
  const waiting: Source[] = [root];
  for (let source = waiting.pop(); source; source = waiting.pop()) {
    checked.add(source);
    checkFile(source, references);
    waiting.push(...references.sources.filter((each) => !checked.has(each)));
  }
};

const checkFile = (source: Source, references: References): void => {
  const good = new Set<string>();
  forEachObject(source.value, (value, path) => {
    const { $ref } = value;
    if (typeof $ref !== 'string' || good.has($ref)) return;
    if (references.follow({ source, path, value }, $ref)) good.add($ref);
  });
};
