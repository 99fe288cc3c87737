import type { HeaderPair } from '../../wire/types.js';
import type { OperationSubject } from '../rule.js';
import { bundled } from '../support/bundles.js';
import { targetOf, withQuery } from '../support/targets.js';
import { type Bypass, bypassWith } from './bypass.js';

/**
 * Changes of a request that are sent together. Each is sent alone where the answer is not that of
 * the request without a key.
 */

export interface Change {
  readonly words: string;
  /** See `Bypass`. */
  readonly how?: string;
  readonly headers?: readonly HeaderPair[];
  /** Query parameters with their values. */
  readonly parameters?: readonly string[];
}

export const change = (...field: HeaderPair): Change => ({
  words: field[1].length > 60 ? `${field[0]} with a made-up value` : field.join(': '),
  headers: [field],
});

/**
 * One request with all changes, and its parts with one each.
 * @param more what is true of all of them
 */
export const bundleOf = (
  subject: OperationSubject,
  words: string,
  changes: readonly Change[],
  more: Pick<Bypass, 'changesForm' | 'leavesHttp'> = {},
): Bypass => {
  const withChanges = (all: readonly Change[], name: string, how?: string): Bypass => {
    const parameters = all.flatMap((one) => one.parameters ?? []);
    const headers = all.flatMap((one) => one.headers ?? []);
    const target = parameters.length > 0 ? { target: withQuery(targetOf(subject), parameters) } : {};
    return { ...bypassWith(subject, name, { headers, ...target }, how), ...more };
  };
  return bundled(
    { ...withChanges(changes, `a request with ${words}`, `with ${words}`), trick: words },
    changes.map((one) => withChanges([one], one.words, one.how)),
  );
};
