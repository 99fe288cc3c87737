import { after, anonymousControls } from '../../rules/oracle/control-requests.js';
import type { Judgement, OperationSubject, Slice } from '../../rules/rule.js';
import type { Target } from '../../settings/target.js';
import { carriesSecret } from '../../wire/cookies.js';
import type { KeyRing } from '../../wire/keyring.js';
import { type Exchange, exchangeId, type Probe } from '../../wire/types.js';
import { judgeThrough, type Sender } from '../ask.js';
import { fingerprintOf } from '../budget/gates.js';
import type { Check } from '../plan.js';
import type { Store } from '../store/store.js';
import { storedText } from '../store/stored-exchange.js';
import type { EvidenceFile, KeptCheck } from './evidence-file.js';

/** Judges the checks of a resumed run by the refusals that were kept. */

/** Milliseconds after which a stored answer is too old to use: a day. */
const longest = 86_400_000;

/** The parts of a run that are needed to judge with stored answers. */
interface Resuming {
  readonly sender: Sender;
  readonly store: Store;
  readonly keys: Pick<KeyRing, 'isRealKey'>;
}

interface JudgedTricks extends Pick<KeptCheck, 'refusal' | 'at'> {
  readonly check: Check;
  readonly slice: Slice | undefined;
  readonly judgement: Judgement;
}

const answersLater: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether an exchange is a single complete answer to an independent request. */
const isPlainAnswer = ({ attempts, probe }: Exchange): boolean => {
  const [attempt] = attempts;
  const status = attempt?.response?.status;
  if (attempts.length !== 1 || status === undefined || attempt?.partial) return false;
  return status < 500 && !answersLater.has(status) && probe.connection !== 'keyed';
};

/**
 * Whether the answer to a probe may be reused. Values in its path may differ between runs, and
 * requests with a key are always sent again.
 */
const isRepeatable = (probe: Probe, keys: Resuming['keys']): boolean =>
  probe.values === undefined && !carriesSecret(probe, (template) => keys.isRealKey(template));

/** The requests of a check's tricks, without its controls and comparisons. */
const trickProbes = (check: Check, slice: Slice | undefined): ReadonlyMap<string, Probe> => {
  const beside = new Set(check.probes({ has: () => false }).map(exchangeId));
  return new Map(
    check
      .probes(slice)
      .filter((probe) => probe.operation === check.operation && !beside.has(exchangeId(probe)))
      .map((probe) => [exchangeId(probe), probe]),
  );
};

/**
 * Stored refusals of an interrupted run, for the run that resumes it. Only the tricks of passed
 * checks are stored, and they are used only for a check that passes again. Controls are always
 * sent, and a check that does not pass is sent again as a whole. An old answer therefore never
 * leads to a failed check.
 */
export class KeptEvidence {
  readonly #file: EvidenceFile;
  readonly seed: string;
  readonly salt: string;
  #reused = 0;
  #hasRest = false;
  /** Number of stored answers of the interrupted run. */
  readonly fromBefore: number;

  constructor(file: EvidenceFile) {
    this.#file = file;
    this.seed = file.head.seed;
    this.salt = file.head.salt;
    this.fromBefore = file.kept;
  }

  /**
   * Start of the interrupted run, and the number of its answers used; `undefined` without one.
   */
  get resumed(): { readonly startedAt: string; readonly exchanges: number } | undefined {
    return this.fromBefore === 0 ? undefined : { startedAt: this.#file.head.startedAt, exchanges: this.#reused };
  }

  /** The run was interrupted, and its evidence was stored. */
  get isOpen(): boolean {
    return this.#hasRest;
  }

  has({ id }: Check): boolean {
    return this.#file.has(id);
  }

  close(isDone: boolean): void {
    this.#hasRest = !isDone && this.#file.kept > 0;
    this.#file.close(isDone);
  }

  /** Judges a check with its stored answers. */
  async judge(
    check: Check,
    subject: OperationSubject | undefined,
    whole: Slice | undefined,
    { sender, store, keys }: Resuming,
  ): Promise<Judgement> {
    const slice = whole && this.#file.has(check.id) ? { ...whole, isLate: true as const } : whole;
    const plainly = (by: Sender): Promise<Judgement> => judgeThrough((ask) => check.judge(ask, slice), by);
    if (check.battery === undefined || subject === undefined) return plainly(sender);
    const refusal = (): string => fingerprintOf(sender.get(exchangeId(anonymousControls(subject)[0])));
    const kept = this.#file.read(check.id);
    const tricks = kept && trickProbes(check, slice);
    const reusing =
      kept && tricks && reusingSender({ kept, tricks, sender, refusal, isOwn: (probe) => isRepeatable(probe, keys) });
    const mixed = reusing && (await plainly(reusing));
    if (reusing && mixed && (mixed.outcome === 'passed' || reusing.taken.size === 0)) {
      for (const exchange of reusing.taken.values()) if (!store.has(exchange.id)) store.add(exchange);
      this.#reused += reusing.taken.size;
      const isOld = reusing.taken.size > 0;
      if (!isOld || reusing.hasSentTricks)
        this.#keep(
          { check, slice, judgement: mixed, refusal: refusal(), at: isOld ? kept.at : Date.now() },
          { sender, keys },
        );
      return mixed;
    }
    // The keyed reads must follow the tricks, which are sent now, so they are repeated.
    if (reusing) for (const id of reusing.readsAfter(check.rule)) store.forget(id);
    const judgement = await plainly(sender);
    this.#keep({ check, slice, judgement, refusal: refusal(), at: Date.now() }, { sender, keys });
    if (!mixed) return judgement;
    const opened = [...(mixed.outcome === 'failed' ? mixed.exchanges : []), ...(mixed.opened ?? [])];
    return { ...judgement, opened: [...(judgement.opened ?? []), ...opened] };
  }

  /** Stores the refusals of a check that passed. */
  #keep(
    { check, slice, judgement, refusal, at }: JudgedTricks,
    { sender, keys }: Pick<Resuming, 'sender' | 'keys'>,
  ): void {
    const tricks = judgement.outcome === 'passed' ? [...trickProbes(check, slice)] : [];
    const exchanges = tricks.flatMap(([id, probe]) => {
      const exchange = isRepeatable(probe, keys) ? sender.get(id) : undefined;
      return exchange && isPlainAnswer(exchange) ? [withoutTls(exchange)] : [];
    });
    this.#file.add(
      { check: check.id, refusal, at },
      exchanges.map((exchange) => storedText(exchange, { withText: false })),
    );
  }
}

/** Raises the request limit by the requests that the interrupted run has sent. */
export const withKept = (target: Target, evidence: KeptEvidence | undefined): Target =>
  target.maxRequests === undefined
    ? target
    : { ...target, maxRequests: target.maxRequests + (evidence?.fromBefore ?? 0) };

/** Drops TLS facts: only controls need certificates, which are most of an exchange's size. */
const withoutTls = (exchange: Exchange): Exchange => ({
  ...exchange,
  attempts: exchange.attempts.map(({ tls: _, ...attempt }) => attempt),
});

/** A sender that uses stored answers of tricks, and sends everything else. */
const reusingSender = ({
  kept,
  tricks,
  sender,
  refusal,
  isOwn,
}: {
  readonly kept: KeptCheck;
  readonly tricks: ReadonlyMap<string, Probe>;
  readonly sender: Sender;
  readonly refusal: () => string;
  readonly isOwn: (probe: Probe) => boolean;
}) => {
  const isFresh = Date.now() - kept.at < longest;
  const stored = new Map(isFresh ? kept.exchanges.filter(isPlainAnswer).map((each) => [each.id, each]) : []);
  const taken = new Map<string, Exchange>();
  const later = new Map<string, Probe>();
  let hasSentTricks = false;

  const takes = (probes: readonly Probe[]): boolean => {
    const [probe] = probes;
    if (!probe || probes.length > 1) return false;
    const id = exchangeId(probe);
    const exchange = tricks.has(id) && isOwn(probe) ? stored.get(id) : undefined;
    // If the refusal has changed, the service may have changed too.
    if (!exchange || refusal() !== kept.refusal) return false;
    taken.set(id, { ...exchange, probe });
    return true;
  };

  return {
    taken: taken as ReadonlyMap<string, Exchange>,
    get hasSentTricks(): boolean {
      return hasSentTricks;
    },
    get: (id: string): Exchange | undefined => sender.get(id) ?? taken.get(id),
    send: async (series: readonly (readonly Probe[])[], ahead?: boolean): Promise<void> => {
      const rest = series.filter((probes) => !takes(probes));
      for (const probe of rest.flat()) {
        hasSentTricks ||= tricks.has(exchangeId(probe));
        if (probe.occasion !== undefined) later.set(exchangeId(probe), probe);
      }
      await sender.send(rest, ahead);
    },
    /** Ids of the keyed reads that were sent after the tricks of a rule. */
    readsAfter: (rule: Check['rule']): readonly string[] =>
      [...later].flatMap(([id, { occasion }]) => (occasion?.startsWith(after(rule)) ? [id] : [])),
  };
};
