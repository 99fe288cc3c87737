import { readHeadOperation } from '../bypass/other-methods.js';
import { readExchange } from '../oracle/reading.js';
import type { Reading } from '../oracle/table.js';
import { usableFor } from '../oracle/usable-controls.js';
import type { Ask, AskedBy, Judgement, OperationSubject } from '../rule.js';

/** Who asks for an operation in plain requests, and how the answers are read. */

export type SeenAccess = AskedBy['seen'];

/** Names of those who ask in every run. */
export const nobody = 'nobody';
export const invalidKey = 'invalid key';
export const theKey = 'the key';

/** The name of the identity whose key a subject sends, or `the key` without identities. */
export const keyedAsker = ({ operation, deployment }: OperationSubject): string =>
  operation.asker ?? deployment.identities?.find(({ keys }) => keys === undefined)?.name ?? theKey;

/** How an operation answers, by the outcome of a check about that answer. */
export const seenBy = ({ outcome }: Pick<Judgement, 'outcome'>, passed: SeenAccess, failed: SeenAccess): SeenAccess =>
  outcome === 'passed' ? passed : outcome === 'failed' ? failed : 'unclear';

const seenIn: Readonly<Record<Reading['verdict'], SeenAccess>> = {
  granted: 'opens',
  refused: 'refuses',
  unclear: 'unclear',
};

/**
 * How an operation answers nobody, an invalid key and the key, by its control requests. A random
 * key was asked only once, so an opening is reported as unclear, unless the operation opens without
 * a key.
 */
export const askedInControls = (ask: Ask, subject: OperationSubject, judgement: Judgement): readonly AskedBy[] => {
  const without = { identity: nobody, seen: seenBy(judgement, 'refuses', 'opens') };
  const controls = usableFor(ask, subject);
  if (!controls) return [without];
  const { verdict } =
    subject.operation.method === 'HEAD'
      ? readHeadOperation(ask, controls.random, controls)
      : readExchange(controls.random, controls.background);
  const random = verdict === 'granted' && without.seen !== 'opens' ? 'unclear' : seenIn[verdict];
  return [without, { identity: invalidKey, seen: random }, { identity: keyedAsker(subject), seen: 'opens' }];
};
