import type { Outcome } from '../rules/rule.js';

/** The table of outcomes: order, symbol, colour, meaning. Reports, JUnit and exit codes use it. */

export type { Outcome };

export type Verdict = 'conformant' | 'non-conformant' | 'drifted' | 'incomplete' | 'deviating';

export interface OutcomeEntry {
  readonly outcome: Outcome;
  readonly glyph: string;
  /** Colour family, mapped to the page's palette and to the console's colours. */
  readonly tone: 'good' | 'bad' | 'warn' | 'open' | 'quiet';
  /** Legend, one sentence. */
  readonly meaning: string;
  readonly junit: 'passed' | 'failure' | 'error' | 'skipped';
}

/** The colour family of a verdict. */
export const toneOfVerdict: Readonly<Record<Verdict, OutcomeEntry['tone']>> = {
  conformant: 'good',
  deviating: 'warn',
  drifted: 'bad',
  incomplete: 'open',
  'non-conformant': 'bad',
};

/** Worst first: a clause has the worst outcome of its checks. */
export const outcomes: readonly OutcomeEntry[] = [
  {
    outcome: 'failed',
    glyph: '✗',
    tone: 'bad',
    meaning: 'The clause is broken. The failing exchange was seen twice.',
    junit: 'failure',
  },
  {
    outcome: 'inconclusive',
    glyph: '?',
    tone: 'open',
    meaning: 'Could not be judged. The reason says what to do.',
    junit: 'error',
  },
  {
    outcome: 'blocked',
    glyph: '⊘',
    tone: 'open',
    meaning: 'Depends on a check or a control request that did not pass, which the reason names.',
    junit: 'skipped',
  },
  {
    outcome: 'lenient',
    glyph: '~',
    tone: 'warn',
    meaning: 'The server accepts more than the contract describes, but only with a valid key.',
    junit: 'passed',
  },
  { outcome: 'passed', glyph: '✓', tone: 'good', meaning: 'The clause holds.', junit: 'passed' },
  {
    outcome: 'observed',
    glyph: '·',
    tone: 'quiet',
    meaning: 'A fact about what the contract leaves open. It cannot fail.',
    junit: 'passed',
  },
  {
    outcome: 'excluded',
    glyph: '–',
    tone: 'quiet',
    meaning: 'Left out on purpose, for the stated reason.',
    junit: 'skipped',
  },
];

export const entryOf = (outcome: Outcome): OutcomeEntry => {
  const entry = outcomes.find((candidate) => candidate.outcome === outcome);
  if (!entry) throw new TypeError(`no such outcome: ${outcome}`);
  return entry;
};

/** The outcome of a clause: the worst of its checks, `excluded` when it has none. */
export const worst = (of: readonly Outcome[]): Outcome =>
  outcomes.find(({ outcome }) => of.includes(outcome))?.outcome ?? 'excluded';

export const judges = (outcome: Outcome): boolean =>
  outcome === 'passed' || outcome === 'failed' || outcome === 'lenient';

/** Whether an outcome says that something could not be judged. */
export const isOpen = (outcome: Outcome): boolean => outcome === 'inconclusive' || outcome === 'blocked';

/**
 * Whether an outcome makes a run non-conformant.
 * @param strict a lenient check counts as failed (`STRICT`)
 */
export const isBroken = (outcome: Outcome, strict: boolean): boolean =>
  outcome === 'failed' || (strict && outcome === 'lenient');

export const exitCodes = {
  conformant: 0,
  deviating: 0,
  'non-conformant': 1,
  drifted: 1,
  incomplete: 2,
  usage: 3,
} as const satisfies Record<Verdict | 'usage', number>;

/** The exit code of a run. An incomplete run never exits with 0. */
export const exitCodeOf = ({ complete, verdict }: { readonly complete: boolean; readonly verdict: Verdict }): number =>
  complete || exitCodes[verdict] === exitCodes['non-conformant'] ? exitCodes[verdict] : exitCodes.incomplete;

/** The exit code with stale deviations (a settings error), unless the run is non-conformant. */
export const exitCodeWith = (run: Parameters<typeof exitCodeOf>[0], stale: readonly string[]): number =>
  stale.length > 0 && exitCodes[run.verdict] !== exitCodes['non-conformant'] ? exitCodes.usage : exitCodeOf(run);

/** Worst first: non-conformant, wrong settings, incomplete, conformant. */
const worstFirst = [exitCodes['non-conformant'], exitCodes.usage, exitCodes.incomplete, exitCodes.conformant];

/** The worst exit code of several runs; that of an incomplete run if there are none. */
export const worstCode = (codes: readonly number[]): number =>
  worstFirst.find((code) => codes.includes(code)) ?? exitCodes.incomplete;
