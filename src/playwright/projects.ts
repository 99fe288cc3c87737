import { test } from './bare-test.js';
import type { ListedTarget } from './listing.js';

const tagOf = ({ project }: Pick<ListedTarget, 'project'>): string => `@target-${project}`;

/** The Playwright project of a deployment: its own tests, by their tag. */
export const projectOf = (target: ListedTarget): { readonly name: string; readonly grep: RegExp } => ({
  name: target.project,
  grep: new RegExp(`${tagOf(target).replaceAll('.', '\\.')}(?![a-z0-9.-])`),
});

/** Declares the tests of each deployment, as its project finds them. */
export const forEachTarget = (targets: readonly ListedTarget[], declare: (target: ListedTarget) => void): void => {
  for (const target of targets)
    if (target.project === '') declare(target);
    else test.describe(target.name, { tag: tagOf(target) }, () => declare(target));
};
