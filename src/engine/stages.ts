import { forEachAtMost, groupBy } from '../collections.js';
import type { Slice, Stage } from '../rules/rule.js';
import type { Probe } from '../wire/types.js';
import type { Sender } from './ask.js';
import { KeyEnded, settingsMadeOf } from './key-watch.js';
import type { Check } from './plan.js';

/** Operations that are judged together first: all of most contracts. */
export const firstTogether = 24;

/**
 * The remaining operations are judged so many at a time: while some wait for the last answers of a
 * stage, the others keep the connections busy.
 */
const together = 16;

/** How the checks of one run are judged. */
export interface Judging {
  readonly sender: Sender;
  /** Judges one check and records its finding. */
  readonly judge: (check: Check) => Promise<void>;
  /** Whether so many exchanges are in memory that those of judged operations should leave it. */
  readonly isFull: () => boolean;
  /**
   * Whether a check passes if the key still works after it. Everything that it needs is sent, but
   * for that read.
   */
  readonly passesSoFar: (check: Check) => Promise<boolean>;
  /** Takes the exchanges of these operations out of memory. */
  readonly release: (operations: ReadonlySet<string>) => void;
  /** Whether anything is sent for a check. */
  readonly isAsked: (check: Check) => boolean;
  /**
   * The part of its battery that a check sends, if that goes out between the reads with the key.
   */
  readonly between: (check: Check) => Slice | undefined;
  /** Whether everything of a check is sent anew, as long as its key lasts. */
  readonly isWhole: (check: Check) => boolean;
  /**
   * Checks to judge again after a pass: what opened one operation is sent to others, and what rests
   * on a key that had ended is asked again.
   */
  readonly widen: () => Promise<readonly Check[]>;
}

/**
 * Judges the checks of all operations in the order of their stages. Invalid keys are sent in a
 * second pass, after everything else: a server may ban who sends them.
 */
export const judgeInStages = async (
  checks: readonly Check[],
  { isFull, release, widen, ...round }: Judging,
): Promise<void> => {
  const groups = groupBy(checks, ({ operation }) => operation);
  const ofService = groups.get('service') ?? [];
  groups.delete('service');
  const byOperation = [...groups.values()];
  // What is asked of the whole service leaves no connection open, and few may be opened in a
  // second.
  byOperation.splice(firstTogether, 0, ofService);
  const [first, others] = [byOperation.slice(0, firstTogether).flat(), byOperation.slice(firstTogether)];
  for (const invalidKeys of [false, true]) {
    const judged = new Set<string>();
    const judgeAll = async (group: readonly Check[], isWhole = round.isWhole): Promise<void> => {
      const ofPass = group.filter(({ stage }) => (stage === 'invalid-keys') === invalidKeys);
      await judgeRounds(ofPass, { ...round, isWhole });
      for (const { operation } of group) judged.add(operation);
      if (!isFull()) return;
      release(judged);
      judged.clear();
    };
    await judgeAll(first);
    // Of many operations, others keep the connections busy: no more is sent than each needs.
    await forEachAtMost(together, others, (group) => judgeAll(group, () => false));
    for (let again = await widen(); again.length > 0; again = await widen()) {
      await forEachAtMost(together, again, async (check) => {
        await round.judge(check);
        judged.add(check.operation);
        if (isFull()) release(judged);
      });
    }
  }
};

/**
 * Judges round after round. Within a round everything is sent together, queued in the order of its
 * stages. What needs no key is sent before any key is.
 */
const judgeRounds = async (
  checks: readonly Check[],
  { sender, judge, passesSoFar, isAsked, between, isWhole }: Omit<Judging, 'isFull' | 'release' | 'widen'>,
): Promise<void> => {
  await sender.send(openingOf(checks.filter(isAsked)).map((probe) => [probe]));
  await sendBetweenReads(checks, { sender, between });
  const leftBehind = sendPairs(
    checks.filter((check) => check.stage === quiet && isWhole(check)),
    sender,
  );
  let passing: Check[] = [];
  for (const round of rounds) {
    const ofRound = round.flatMap((stage) => {
      const ofStage = checks.filter((check) => check.stage === stage);
      return [...groupBy(ofStage, ({ rule }) => rule).values()].flat();
    });
    // Others end with a read that comes after their last answer.
    const inOrder = [...ofRound.filter((check) => !isPlain(check)), ...ofRound.filter(isPlain)];
    const before = passing;
    passing = [];
    await Promise.all([
      leftBehind,
      ...before.map((check) => judge(check)),
      ...inOrder.map(async (check) => {
        if (check.stage === quiet && (await passesSoFar(check))) passing.push(check);
        else await judge(check);
      }),
    ]);
  }
};

/** What is sent before any key is: nothing, and then an invented key. */
export const openingOf = (checks: readonly Check[]): readonly Probe[] => {
  const probes = checks
    .filter(({ stage, excluded }) => excluded === undefined && (stage === 'anonymous' || stage === 'keyed'))
    .flatMap((check) => check.probes());
  return [...probes.filter((probe) => !carriesKey(probe)), ...probes.filter(carriesRandomKey)];
};

/**
 * Sends parts of batteries after the first read with the key, so that the second one, which is sent
 * anyway, shows that it still opens after them. With a read of their own after each they would cost
 * one request in eight.
 */
const sendBetweenReads = async (
  checks: readonly Check[],
  { sender, between }: Pick<Judging, 'sender' | 'between'>,
): Promise<void> => {
  const probes = checks.flatMap((check) => {
    const slice = between(check);
    return slice ? check.probes(slice) : [];
  });
  if (probes.length === 0) return;
  try {
    await sender.send(probes.filter((probe) => carriesKey(probe) && probe.round === 1).map((probe) => [probe]));
  } catch (error) {
    // Each judge says so.
    if (error instanceof KeyEnded) return;
    throw error;
  }
  await sender.send(probes.filter((probe) => !carriesKey(probe)).map((probe) => [probe]));
};

/**
 * Sends pairs of which the second shows what the first has left behind, beside the first reads with
 * the key, when nothing without a key is under way that could clear it away.
 */
const sendPairs = async (checks: readonly Check[], sender: Sender): Promise<void> => {
  try {
    await sender.send(checks.flatMap((check) => check.pairs?.() ?? []));
  } catch (error) {
    // Each judge says so.
    if (!(error instanceof KeyEnded)) throw error;
  }
};

/**
 * What a key leaves behind on a server, another request may clear away, so nothing else is sent
 * meanwhile. Whether the key still works is seen together with the next stages.
 */
const quiet: Stage = 'leftovers';

/** Stages that are judged together. What rests on the keyed reads waits for them. */
const rounds: readonly (readonly Stage[])[] = [
  ['service', 'anonymous', 'keyed'],
  [quiet],
  ['placements', 'bypasses'],
  ['invalid-keys'],
];

/** No read with the key follows what is asked over plain HTTP, so nothing waits for its answers. */
export const isPlain = ({ rule }: Check): boolean => rule.scope === 'operation' && rule.overPlainHttp === true;

export const carriesKey = ({ target, headers }: Pick<Probe, 'target' | 'headers'>): boolean =>
  target.includes('<API_KEY') || headers.some(([, value]) => value.includes('<API_KEY'));

/** An invented key and no other. */
const carriesRandomKey = (probe: Probe): boolean => carriesKey(probe) && settingsMadeOf(probe).length === 0;
