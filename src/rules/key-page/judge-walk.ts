import type { Judgement, KeyPageRule } from '../rule.js';
import { because, blockedBy, type Cause, failed, inconclusive, onCheck, passed } from '../support/judgement.js';
import type { KeyPageRecord } from './record.js';

/** Words that the key page rules share. */

/** Quotes a text of the page, shortened. */
export const quote = (text: string): string => `“${text.length > 160 ? `${text.slice(0, 157)}…` : text}”`;

/** Inconclusive: the walk did not get to the thing to judge. `reason` says why. */
export const notSeen = (reason: string, ...values: readonly string[]): Judgement =>
  inconclusive(because('page-not-seen', ...values), reason, []);

export const apiSilent = inconclusive(
  because('page-not-seen', 'api'),
  'The API gave no usable answer about a key from the page: see the findings of the protected operation.',
  [],
);

const withNote = (note: string | undefined) => (note ? { note } : {});

/**
 * The judgements of one rule. All but `blockedBy` have the same cause, and none has an exchange.
 */
export const judgementsFor = (id: Cause['id']) => ({
  fine: (reason: string, note?: string): Judgement => passed(reason, [], withNote(note)),
  unclear: (reason: string): Judgement => inconclusive(because(id), reason, []),
  broken: (reason: string, expected: string, seen: string): Judgement =>
    failed(because(id), reason, [], { expected, seen }),
  /** It depends on another check of the key page. */
  blockedBy: (rule: string, reason: string): Judgement =>
    blockedBy(onCheck(rule, 'key-page'), because('rests-on-check', rule), reason, []),
});

/** What the key page rules do, for their explanations. */
export const walksThroughKeyPage =
  'A browser logs in (LOGIN_URL, WEB_USERNAME, WEB_PASSWORD) and opens KEY_PAGE_URL. Judged only when KEY_PAGE_URL is given.';

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

const withPicture = (judgement: Judgement, { picture }: KeyPageRecord): Judgement => {
  if (picture === undefined || !isOpen(judgement)) return judgement;
  return withNotes(judgement, [
    picture === 'withheld'
      ? 'No picture was kept: after the action the page may show a key that was not recognised.'
      : `A picture of the page, keys blacked out: ${picture.name}.`,
  ]);
};

/** The judgement of a key page rule about a walk, with notes. Pure. */
export const judgeWalk = (rule: Pick<KeyPageRule, 'judge'>, walk: KeyPageRecord): Judgement =>
  withPicture(withStoppedRequests(rule.judge(walk), walk), walk);
