import { readHeadOperation } from '../bypass/head-request.js';
import { controlsOf } from '../oracle/controls.js';
import { readExchange } from '../oracle/reading.js';
import type { Reading } from '../oracle/table.js';
import { isUsable, usable } from '../oracle/usable-controls.js';
import type { Ask, AskedBy, Judgement, OperationSubject } from '../rule.js';
import { canSendKey } from './subjects.js';

/** Who asks for an operation in plain requests, and what the oracle reads from the answers. */

export type Seen = AskedBy['seen'];

/** Those who ask in every run. */
export const nobody = 'nobody';
export const invalidKey = 'invalid key';
export const theKey = 'the key';

/** Who sends the keyed requests of a subject: an identity, where one holds its key. */
export const keyedAsker = ({ operation, deployment }: OperationSubject): string =>
  operation.asker ?? deployment.identities?.find(({ keys }) => keys === undefined)?.name ?? theKey;

/** What a check of which only one answer of its subject may pass says of it. */
export const seenBy = ({ outcome }: Pick<Judgement, 'outcome'>, passed: Seen, failed: Seen): Seen =>
  outcome === 'passed' ? passed : outcome === 'failed' ? failed : 'unclear';

const seenIn: Readonly<Record<Reading['verdict'], Seen>> = { granted: 'opens', refused: 'refuses', unclear: 'unclear' };

/**
 * What the control requests show of who is refused. One reading is no proof: what seems to open to
 * a random key is said where the operation opens to nobody too, which was seen twice.
 */
export const askedInControls = (ask: Ask, subject: OperationSubject, judgement: Judgement): readonly AskedBy[] => {
  const without = { identity: nobody, seen: seenBy(judgement, 'refuses', 'opens') };
  if (!canSendKey(subject)) return [without];
  const controls = usable(controlsOf(ask, subject));
  if (!isUsable(controls)) return [without];
  const { verdict } =
    subject.operation.method === 'HEAD'
      ? readHeadOperation(ask, controls.random, controls)
      : readExchange(controls.random, controls.background);
  const random = verdict === 'granted' && without.seen !== 'opens' ? 'unclear' : seenIn[verdict];
  return [without, { identity: invalidKey, seen: random }, { identity: keyedAsker(subject), seen: 'opens' }];
};
