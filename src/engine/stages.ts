import { forEachAtMost, groupBy } from '../collections.js';
import type { Slice, Stage } from '../rules/rule.js';
import type { Probe } from '../wire/types.js';
import type { Sender } from './ask.js';
import { carriesKey, KeyEnded, settingsMadeOf } from './live-keys/key-watch.js';
import type { Check } from './plan.js';

/** Judges the checks of all operations, stage by stage. */

/** Number of operations that are judged together first. Most contracts have no more. */
export const firstTogether = 24;

/**
 * Number of the remaining operations that are judged at a time. Others keep the connections busy
 * while some wait for the last answers of a stage.
 */
const groupsAtATime = 16;

/** Callbacks and limits with which the checks of a run are judged. */
interface StageHooks {
  readonly sender: Sender;
  /** Judges one check and records its finding. */
  readonly judge: (check: Check) => Promise<void>;
  /** Whether exchanges of judged operations should be moved to disk to free memory. */
  readonly isFull: () => boolean;
  /**
   * Whether a check passes, provided that the key still works after it. Sends everything that the
   * check needs except the keyed read that would show that.
   */
  readonly passesSoFar: (check: Check) => Promise<boolean>;
  /** Moves the exchanges of these operations to disk. */
  readonly release: (operations: ReadonlySet<string>) => void;
  /** Whether a check sends anything. */
  readonly isAsked: (check: Check) => boolean;
  /** The slice of a check whose tricks are sent between the two keyed reads, if any. */
  readonly between: (check: Check) => Slice | undefined;
  /** Whether a check sends its whole battery, without stored answers or expiring keys. */
  readonly isWhole: (check: Check) => boolean;
  /**
   * Returns the checks to judge again after a pass: those that get tricks which opened another
   * operation, and those whose key had ended.
   */
  readonly widen: () => Promise<readonly Check[]>;
}

/**
 * Judges the checks of all operations in the order of their stages. Invalid keys are sent in a
 * second pass after everything else, since a server may ban a client that sends them.
 */
export const judgeInStages = async (
  checks: readonly Check[],
  { isFull, release, widen, ...hooks }: StageHooks,
): Promise<void> => {
  const groups = groupBy(checks, ({ operation }) => operation);
  const ofService = groups.get('service') ?? [];
  groups.delete('service');
  const byOperation = [...groups.values()];
  // The checks of the service come after the first operations. They leave no reusable connection,
  // and new connections are rate-limited.
  byOperation.splice(firstTogether, 0, ofService);
  const [first, others] = [byOperation.slice(0, firstTogether).flat(), byOperation.slice(firstTogether)];
  for (const invalidKeys of [false, true]) {
    const judged = new Set<string>();
    const judgeAll = async (group: readonly Check[], isWhole = hooks.isWhole): Promise<void> => {
      const ofPass = group.filter(({ stage }) => (stage === 'invalid-keys') === invalidKeys);
      await judgeRounds(ofPass, { ...hooks, isWhole });
      for (const { operation } of group) judged.add(operation);
      if (!isFull()) return;
      release(judged);
      judged.clear();
    };
    await judgeAll(first);
    // With many operations, the others keep the connections busy, so nothing is sent in advance.
    await forEachAtMost(groupsAtATime, others, (group) => judgeAll(group, () => false));
    for (let again = await widen(); again.length > 0; again = await widen()) {
      await forEachAtMost(groupsAtATime, again, async (check) => {
        await hooks.judge(check);
        judged.add(check.operation);
        if (isFull()) release(judged);
      });
    }
  }
};

/**
 * Judges checks in rounds. Within a round everything is sent in parallel, queued in the order of
 * the stages. Requests without a key are sent before any key is.
 */
const judgeRounds = async (
  checks: readonly Check[],
  { sender, judge, passesSoFar, isAsked, between, isWhole }: Omit<StageHooks, 'isFull' | 'release' | 'widen'>,
): Promise<void> => {
  // Errors are ignored here: each check that needs a request reports them.
  await Promise.allSettled(openingOf(checks.filter(isAsked)).map((probe) => sender.send([[probe]])));
  await sendBetweenReads(checks, { sender, between });
  const leftBehind = sendPairs(
    checks.filter((check) => check.stage === leftovers && isWhole(check)),
    sender,
  );
  let passing: Check[] = [];
  for (const round of rounds) {
    const ofRound = round.flatMap((stage) => {
      const ofStage = checks.filter((check) => check.stage === stage);
      return [...groupBy(ofStage, ({ rule }) => rule).values()].flat();
    });
    // Checks other than those over plain HTTP end with a keyed read after their last answer, so
    // they start first.
    const inOrder = [...ofRound.filter((check) => !isOverPlainHttp(check)), ...ofRound.filter(isOverPlainHttp)];
    const before = passing;
    passing = [];
    await Promise.all([
      leftBehind,
      ...before.map((check) => judge(check)),
      ...inOrder.map(async (check) => {
        if (check.stage === leftovers && (await passesSoFar(check))) passing.push(check);
        else await judge(check);
      }),
    ]);
  }
};

/**
 * The probes that are sent before any key: those without a key, then those with a random key.
 * Repetitions of a read can be sent beside the keyed ones.
 */
export const openingOf = (checks: readonly Check[]): readonly Probe[] => {
  const probes = checks
    .filter(({ stage, excluded }) => excluded === undefined && (stage === 'anonymous' || stage === 'keyed'))
    .flatMap((check) => check.probes())
    .filter(({ round }) => round === 1);
  return [...probes.filter((probe) => !carriesKey(probe)), ...probes.filter(carriesRandomKey)];
};

/**
 * Sends parts of batteries between the two keyed reads of the control, so that the second read
 * shows that the key still works after them. A separate keyed read for each part would add one
 * request to every eight.
 */
const sendBetweenReads = async (
  checks: readonly Check[],
  { sender, between }: Pick<StageHooks, 'sender' | 'between'>,
): Promise<void> => {
  const probes = checks.flatMap((check) => {
    const slice = between(check);
    return slice ? check.probes(slice) : [];
  });
  if (probes.length === 0) return;
  try {
    await sender.send(probes.filter((probe) => carriesKey(probe) && probe.round === 1).map((probe) => [probe]));
  } catch (error) {
    // Each check reports the ended key itself.
    if (error instanceof KeyEnded) return;
    throw error;
  }
  await sender.send(probes.filter((probe) => !carriesKey(probe)).map((probe) => [probe]));
};

/**
 * Sends pairs of probes. The second of a pair shows what the first has left behind on the server.
 * They are sent together with the first keyed reads, when no request without a key could clear
 * that.
 */
const sendPairs = async (checks: readonly Check[], sender: Sender): Promise<void> => {
  try {
    await sender.send(checks.flatMap((check) => check.pairs?.() ?? []));
  } catch (error) {
    // Each check reports the ended key itself.
    if (!(error instanceof KeyEnded)) throw error;
  }
};

/**
 * This stage is judged alone, since other requests could clear what a keyed request leaves behind
 * on a server. Whether the key still works is checked together with the next stages.
 */
const leftovers: Stage = 'leftovers';

/** Stages that are judged together. Stages that depend on the keyed reads come in later rounds. */
const rounds: readonly (readonly Stage[])[] = [
  ['service', 'anonymous', 'keyed'],
  [leftovers],
  ['placements', 'bypasses'],
  ['invalid-keys'],
];

/** Checks over plain HTTP, which no keyed read follows, so nothing waits for their answers. */
export const isOverPlainHttp = ({ rule }: Check): boolean => rule.scope === 'operation' && rule.overPlainHttp === true;

const carriesRandomKey = (probe: Probe): boolean => carriesKey(probe) && settingsMadeOf(probe).length === 0;
