import type { Judgement, KeyPageRule } from '../rule.js';
import { because } from '../support/causes.js';
import type { KeyPageRecord } from './record.js';

const isOpen = ({ outcome }: Judgement): boolean => outcome === 'failed' || outcome === 'inconclusive';

const withNotes = (judgement: Judgement, notes: readonly string[]): Judgement => {
  const note = [judgement.note ?? [], ...notes].flat().join(' ');
  return note === '' ? judgement : { ...judgement, note };
};

/**
 * Adds the stopped requests to failed and inconclusive judgements. A failure becomes inconclusive
 * if the page noticed a stopped request, since that may be the cause.
 */
const withStoppedRequests = (judgement: Judgement, { stopped }: KeyPageRecord): Judgement => {
  if (stopped === undefined || !isOpen(judgement)) return judgement;
  const noted = withNotes(judgement, stopped.sentences);
  if (judgement.outcome === 'inconclusive' || !stopped.felt) return noted;
  const { expected: _expected, seen: _seen, ...rest } = noted;
  return {
    ...rest,
    outcome: 'inconclusive',
    cause: because('page-stopped'),
    reason: `${judgement.reason} The suite stopped a request of the page, so that this may not be the service's doing.`,
  };
};

const pictureNotes = {
  kept: (name: string) => `A picture of the page, keys blacked out: ${name}.`,
  withheld: 'No picture was kept: after the action the page may show a key that was not recognised.',
};

const withPicture = (judgement: Judgement, { picture }: KeyPageRecord): Judgement => {
  if (picture === undefined || !isOpen(judgement)) return judgement;
  return withNotes(judgement, [picture === 'withheld' ? pictureNotes.withheld : pictureNotes.kept(picture.name)]);
};

/** The judgement of a key page rule about a walk, with notes. Pure. */
export const judgeWalk = (rule: Pick<KeyPageRule, 'judge'>, walk: KeyPageRecord): Judgement =>
  withPicture(withStoppedRequests(rule.judge(walk), walk), walk);
