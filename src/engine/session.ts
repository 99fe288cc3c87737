import type { Contract } from '../contract/model.js';
import { tool } from '../package.js';
import type { Deployment, KeyHolder } from '../rules/rule.js';
import { factsVersion } from '../wire/body-shape.js';
import { WireClient } from '../wire/client.js';
import { randomHex } from '../wire/key-variants.js';
import { KeyRing } from '../wire/keyring.js';
import { createReadValues } from '../wire/read-values.js';
import { createSender, type Transmit } from './ask.js';
import { createInspector } from './body-inspector.js';
import { type ResultsBase, subjectOf } from './build-results.js';
import { deploymentOf, traitsOf } from './deployment.js';
import { FirstSent } from './greet.js';
import type { KeyPagePart } from './key-page.js';
import { KeyWatch, withoutEndedKeys } from './live-keys/key-watch.js';
import { LiveKeys, RestedOn } from './live-keys/live-keys.js';
import { fromElsewhere, isOwnersData, PrivateValues } from './private-values.js';
import type { KeptEvidence } from './resume/kept-evidence.js';
import type { RunInput } from './run-input.js';
import { Store } from './store/store.js';
import { OperationReader } from './values/operation-reader.js';
import type { RecordedValues } from './values/recording.js';
import { createWatchList } from './watched-exchanges.js';

/** Optional parts of a run. */
export interface RunParts {
  readonly keyPage?: KeyPagePart | undefined;
  /**
   * Stores the answers from which another run can resume, and provides those of the resumed run
   * with its seed and salt.
   */
  readonly evidence?: KeptEvidence | undefined;
}

/**
 * Prepares what a run sends requests and stores answers with. No connection is opened before the
 * first request.
 */
export const openSession = async (input: RunInput, { evidence }: RunParts) => {
  const { contract, target, signal } = input;
  const startedAt = new Date();
  const seed = evidence?.seed ?? input.seed ?? randomHex();
  const salt = evidence?.salt ?? input.salt ?? newSalt(seed);
  const ring = new KeyRing({ keys: target.keys, seed, ...(input.secrets ? { secrets: input.secrets } : {}) });
  const keys = traitsOf(target, ring);
  // A partial run does not read operations that are not selected.
  const isPart = input.isPart ?? Array.isArray(input.only);
  const deployment: Deployment = {
    ...deploymentOf(target, keys, seed, { at: startedAt.getTime(), salt }),
    isPart,
  };
  const inspector = await createInspector(contract, deployment, signal);
  const readValues = createReadValues();
  const underWay = new FirstSent();
  const wire = new WireClient({
    ...target,
    onSent: underWay.note,
    keys: ring,
    others: new Set((target.identities ?? []).flatMap((identity) => Object.values(identity.keys ?? {}))),
    salt,
    signal,
    values: readValues,
    inspect: (probe, answer) => {
      reader.inspect(probe, answer);
      return inspector?.inspect(probe, answer);
    },
  });
  const store = new Store();
  const isFromElsewhere = fromElsewhere(deployment);
  const privateValues = new PrivateValues(
    ring,
    new Set(
      [...contract.operations, ...contract.unprobed].flatMap(({ id, access }) => (access === 'public' ? [] : [id])),
    ),
  );
  const watch = new KeyWatch(store);
  const watched = createWatchList(input.rules);
  const rested = new RestedOn();
  const live =
    input.supply &&
    new LiveKeys({
      supply: input.supply,
      ring,
      wire,
      watch,
      onStale: (ids) => {
        for (const id of ids) store.forget(id);
        rested.forget(ids);
      },
    });
  const transmit: Transmit = live
    ? (probe, place, keep) => live.send(probe, place, keep)
    : (probe, place, keep) => wire.send(probe, place).then(keep);
  const allSender = createSender(transmit, store, (exchange) => {
    privateValues.note(exchange);
    watch.note(exchange);
    watched.note(exchange);
  });
  const sender = withoutEndedKeys(allSender, watch);
  const reader = new OperationReader(deployment, sender);

  return {
    startedAt,
    deployment,
    ring,
    wire,
    store,
    /** Values that only the key's owner may see. */
    privateValues,
    watch,
    watched,
    rested,
    /** Set where keys are fetched. */
    live,
    /** Sends every probe. */
    allSender,
    /** Sends nothing with a key that has ended. */
    sender,
    /** Values for path parameters that were read from answers. */
    readValues,
    reader,
    inspector,
    underWay,
    /** Stopped by the abort signal, by `MAX_REQUESTS`, or since nothing is answered any more. */
    isStopped: (): boolean => signal?.aborted === true || wire.over !== undefined,
    /** The part of the results that does not depend on findings. */
    headOf: (
      judged: Contract,
      recorded?: RecordedValues,
      identities: readonly KeyHolder[] = deployment.identities ?? [],
    ): ResultsBase => ({
      schemaVersion: 1,
      tool,
      ...subjectOf(judged, target, input.options),
      recording: {
        seed,
        keys,
        facts: factsVersion,
        ...(isPart ? { part: true } : {}),
        ...(recorded ? { values: recorded } : {}),
        ...(identities.length > 0 ? { identities } : {}),
      },
      startedAt: startedAt.toISOString(),
    }),
    /**
     * Moves exchanges that no check needs any more from memory to disk.
     * @param operations ids of judged operations; all when absent
     */
    settle: (operations?: Iterable<string>): void => {
      store.settle({
        ...(operations ? { operations } : {}),
        ...(live && operations ? { isOpen: (id: string) => live.isUnconfirmed(id) } : {}),
        isData: (exchange) =>
          isFromElsewhere(exchange) || (target.evidence === 'shape' && isOwnersData(exchange, privateValues)),
        isPrivate: (field) => privateValues.occursIn(field),
      });
    },
  };
};

export type Session = Awaited<ReturnType<typeof openSession>>;

/** The secret salt of digests. The seed in it is stored in the results. */
export const newSalt = (seed: string): string => `${seed}${randomHex()}`;
