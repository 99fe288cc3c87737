import type { Contract } from '../contract/model.js';
import { tool } from '../package.js';
import type { Deployment, KeyHolder } from '../rules/rule.js';
import { factsVersion } from '../wire/body-shape.js';
import { WireClient } from '../wire/client.js';
import { randomHex } from '../wire/key-variants.js';
import { KeyRing } from '../wire/keyring.js';
import { createReadValues } from '../wire/read-values.js';
import { createSender, type Sender, type Transmit } from './ask.js';
import { createInspector, type Inspector } from './body-inspector.js';
import { type ResultsBase, subjectOf } from './build-results.js';
import { deploymentOf, traitsOf } from './deployment.js';
import type { KeyPagePart } from './key-page.js';
import { KeyWatch, withoutEndedKeys } from './live-keys/key-watch.js';
import { LiveKeys, RestedOn } from './live-keys/live-keys.js';
import { fromElsewhere, isOwnersData, PrivateValues } from './private-values.js';
import type { KeptEvidence } from './resume/kept-evidence.js';
import type { RunInput } from './run-input.js';
import { FirstSent } from './starting-service.js';
import { Store } from './store/store.js';
import { OperationReader } from './values/operation-reader.js';
import type { RecordedValues } from './values/recording.js';
import { createWatchList, type WatchList } from './watched-exchanges.js';

export interface RunParts {
  readonly keyPage?: KeyPagePart | undefined;
  /**
   * Stores the answers from which another run can resume, and provides those of the resumed run
   * with its seed and salt.
   */
  readonly evidence?: KeptEvidence | undefined;
}

interface SessionStart {
  readonly startedAt: Date;
  readonly salt: string;
  readonly ring: KeyRing;
  readonly deployment: Deployment;
  readonly inspector: Inspector | undefined;
}

/** Ids of the operations that only the key's owner may open. */
const idsBehindKeys = ({ operations, unprobed }: Contract): ReadonlySet<string> =>
  new Set([...operations, ...unprobed].flatMap(({ id, access }) => (access === 'public' ? [] : [id])));

/** What a run sends requests and stores answers with. */
export class Session {
  readonly startedAt: Date;
  readonly deployment: Deployment;
  readonly ring: KeyRing;
  readonly inspector: Inspector | undefined;
  readonly wire: WireClient;
  readonly store = new Store();
  readonly watch = new KeyWatch(this.store);
  readonly watched: WatchList;
  readonly rested = new RestedOn();
  readonly underWay = new FirstSent();
  /** Values that only the key's owner may see. */
  readonly privateValues: PrivateValues;
  /** Values for path parameters that were read from answers. */
  readonly readValues = createReadValues();
  /** Set where keys are fetched. */
  readonly live: LiveKeys | undefined;
  /** Sends every probe. */
  readonly allSender: Sender;
  /** Sends nothing with a key that has ended. */
  readonly sender: Sender;
  readonly reader: OperationReader;
  readonly #input: RunInput;
  readonly #isFromElsewhere: ReturnType<typeof fromElsewhere>;

  /** No connection is opened before the first request. */
  static async open(input: RunInput, { evidence }: RunParts): Promise<Session> {
    const { contract, target, signal } = input;
    const startedAt = new Date();
    const seed = evidence?.seed ?? input.seed ?? randomHex();
    const salt = evidence?.salt ?? input.salt ?? newSalt(seed);
    const ring = new KeyRing({ keys: target.keys, seed, ...(input.secrets ? { secrets: input.secrets } : {}) });
    const deployment: Deployment = {
      ...deploymentOf(target, traitsOf(target, ring), seed, { at: startedAt.getTime(), salt }),
      // A partial run does not read operations that are not selected.
      isPart: input.isPart ?? Array.isArray(input.only),
    };
    const inspector = await createInspector(contract, deployment, signal);
    return new Session(input, { startedAt, salt, ring, deployment, inspector });
  }

  private constructor(input: RunInput, { startedAt, salt, ring, deployment, inspector }: SessionStart) {
    const { contract, target, signal } = input;
    this.#input = input;
    this.#isFromElsewhere = fromElsewhere(deployment);
    this.startedAt = startedAt;
    this.deployment = deployment;
    this.ring = ring;
    this.inspector = inspector;
    this.watched = createWatchList(input.rules);
    this.privateValues = new PrivateValues(ring, idsBehindKeys(contract));
    this.wire = new WireClient({
      ...target,
      onSent: this.underWay.note,
      keys: ring,
      others: new Set((target.identities ?? []).flatMap((identity) => Object.values(identity.keys ?? {}))),
      accounts: (target.identities ?? []).flatMap(({ owns }) => owns ?? []),
      salt,
      signal,
      values: this.readValues,
      inspect: (probe, answer) => {
        this.reader.inspect(probe, answer);
        return inspector?.inspect(probe, answer);
      },
    });
    this.live = this.#liveKeys();
    this.allSender = createSender(this.#transmit(), this.store, (exchange) => {
      this.privateValues.note(exchange);
      this.watch.note(exchange);
      this.watched.note(exchange);
    });
    this.sender = withoutEndedKeys(this.allSender, this.watch);
    this.reader = new OperationReader(deployment, this.sender);
  }

  #liveKeys(): LiveKeys | undefined {
    const { ring, wire, watch } = this;
    const { supply } = this.#input;
    const onStale = (ids: ReadonlySet<string>): void => {
      for (const id of ids) this.store.forget(id);
      this.rested.forget(ids);
    };
    return supply && new LiveKeys({ supply, ring, wire, watch, onStale });
  }

  #transmit(): Transmit {
    const { live, wire } = this;
    return live
      ? (probe, place, keep) => live.send(probe, place, keep)
      : (probe, place, keep) => wire.send(probe, place).then(keep);
  }

  /** Stopped by the abort signal, by `MAX_REQUESTS`, or since nothing is answered any more. */
  readonly isStopped = (): boolean => this.#input.signal?.aborted === true || this.wire.over !== undefined;

  /** The part of the results that does not depend on findings. */
  headOf(
    judged: Contract,
    recorded?: RecordedValues,
    identities: readonly KeyHolder[] = this.deployment.identities ?? [],
  ): ResultsBase {
    const { target, options } = this.#input;
    const { seed, keys, isPart } = this.deployment;
    return {
      schemaVersion: 1,
      tool,
      ...subjectOf(judged, target, options),
      recording: {
        seed,
        keys,
        facts: factsVersion,
        ...(isPart ? { part: true } : {}),
        ...(recorded ? { values: recorded } : {}),
        ...(identities.length > 0 ? { identities } : {}),
      },
      startedAt: this.startedAt.toISOString(),
    };
  }

  /**
   * Moves exchanges that no check needs any more from memory to disk.
   * @param operations ids of judged operations; all when absent
   */
  settle(operations?: Iterable<string>): void {
    const { live, privateValues } = this;
    const isShape = this.#input.target.evidence === 'shape';
    this.store.settle({
      ...(operations ? { operations } : {}),
      ...(live && operations ? { isOpen: (id: string) => live.isUnconfirmed(id) } : {}),
      isData: (exchange) => this.#isFromElsewhere(exchange) || (isShape && isOwnersData(exchange, privateValues)),
      isPrivate: (field) => privateValues.occursIn(field),
    });
  }
}

/** The secret salt of digests. The seed in it is stored in the results. */
export const newSalt = (seed: string): string => `${seed}${randomHex()}`;
