import { fetchOptionsOf, withKeys } from '../../app/run.js';
import { groupBy } from '../../collections.js';
import type { Contract, Operation } from '../../contract/model.js';
import { deploymentOf, traitsOf } from '../../engine/deployment.js';
import { type FetchedKey, KeyFetchError } from '../../keys/fetched-key.js';
import { createKeyFetcher, type KeyOrigin, keyOriginsOf } from '../../keys/key-origins.js';
import { holdsOne, type IdentityView, identityViewOf } from '../../rules/identities/identity-views.js';
import { keyedControl } from '../../rules/oracle/control-requests.js';
import type { KeyHolder, Subject } from '../../rules/rule.js';
import { requestWithoutKey } from '../../rules/support/requests.js';
import { canSendKey, subjectFor } from '../../rules/support/subjects.js';
import { targetOf } from '../../rules/support/targets.js';
import type { Settings } from '../../settings/settings.js';
import type { Target } from '../../settings/target.js';
import { WireClient } from '../../wire/client.js';
import { KeyRing } from '../../wire/keyring.js';
import type { Probe, Wire } from '../../wire/types.js';
import { counted, timeLeft, toTheSecond } from '../../words.js';
import { about, type Diagnosis } from './network.js';

const wayOf = (origin: KeyOrigin): string => {
  if (origin.kind === 'command') return `The program of ${origin.from} printed it`;
  const { grant, place } = origin;
  const { origin: host, pathname } = 'tokenUrl' in place ? place.tokenUrl : place.discoveryUrl;
  const flow = grant.flow === 'password' ? 'password' : 'client credentials';
  return `${origin.from} got it by the ${flow} flow at ${host}${pathname}`;
};

const expiryWords = (endsAt: number | undefined): string => {
  if (endsAt === undefined) return 'Nobody says when it ends; a run notices when it does, and fetches it again.';
  const seconds = Math.max(0, Math.round((endsAt - Date.now()) / 1000));
  return `It ends at ${toTheSecond(new Date(endsAt))}, in ${timeLeft(seconds)}; a run fetches it again before.`;
};

interface TriedKeys {
  readonly found: readonly Diagnosis[];
  readonly target: Target;
}

/** Fetches each key as a run does, and says how it was got and when it ends. */
export const tryFetchedKeys = async (settings: Settings, contract: Contract, target: Target): Promise<TriedKeys> => {
  const origins = keyOriginsOf(settings, contract, target);
  const fetch = createKeyFetcher(origins, fetchOptionsOf({ settings, target }));
  const got = new Map<string, FetchedKey>();
  const tried = async ([setting, origin]: readonly [string, KeyOrigin]): Promise<Diagnosis> => {
    try {
      const fetched = await fetch(setting);
      got.set(setting, fetched);
      const { key, endsAt } = fetched;
      return about(setting).well(`${wayOf(origin)}: ${counted(key.length, 'character')}. ${expiryWords(endsAt)}`);
    } catch (error) {
      if (!(error instanceof KeyFetchError)) throw error;
      return about(setting).trouble(
        `${error.from}: ${error.message}.`,
        'Without it nothing that needs a key can be judged.',
      );
    }
  };
  const found = await Promise.all([...origins].map(tried));
  return { found, target: withKeys(target, { first: got }) };
};

/** Protected operations that need neither a value for their path nor a write. */
const readsOf = ({ contract }: Subject): readonly Operation[] =>
  contract.operations.filter(
    ({ access, method, path }) => access === 'protected' && method === 'GET' && !path.includes('{'),
  );

/**
 * Reads that are looked at, and those that are tried with a key: its account may lack the right to
 * one.
 */
const mostSeen = 10;
const mostTried = 3;

/** Reads that the document says open to an identity, or else those of which it says nothing. */
const readsFor = (identity: KeyHolder, subject: Subject): readonly IdentityView[] => {
  const views = readsOf(subject).flatMap((operation) => {
    const view = identityViewOf({ ...subject, operation }, identity);
    return view && holdsOne(operation, identity) !== false ? [view] : [];
  });
  const stated = views.filter(({ subject: { operation } }) => holdsOne(operation, identity));
  return (stated.length > 0 ? stated : views).slice(0, mostTried);
};

/** Tries each key at a few operations that refuse a request without one. */
const askWithKeys = async (subject: Subject, wire: Wire): Promise<Diagnosis[]> => {
  const statusOf = async (probe: Probe): Promise<number> =>
    (await wire.send(probe)).attempts.at(-1)?.response?.status ?? 0;
  const reads = readsOf(subject)
    .map((operation) => subjectFor(subject, operation))
    .filter(canSendKey);
  const found: Diagnosis[] = [];
  for (const [keys, those] of groupBy(reads, ({ operation }) =>
    operation.security.map(({ setting }) => setting).join(' and '),
  )) {
    const { well, doubt } = about(keys);
    const seen: { readonly says: string; readonly opens: boolean }[] = [];
    for (const read of those.slice(0, mostSeen)) {
      const without = await statusOf(requestWithoutKey(read));
      if (without < 300 || without === 404 || without >= 500) continue;
      const status = await statusOf(keyedControl(read, 1));
      seen.push({ says: `${targetOf(read)} answers ${status} with it`, opens: status >= 200 && status < 300 });
      if (seen.length === mostTried || seen.at(-1)?.opens) break;
    }
    const opened = seen.find(({ opens }) => opens);
    if (opened) found.push(well(`${opened.says}.`));
    else if (seen.length > 0)
      found.push(
        doubt(
          `${seen.map(({ says }) => says).join(', ')}.`,
          'Is it a key of this deployment, and not expired? Does the document say how it is sent? A run tries other ways too.',
        ),
      );
  }
  return found;
};

/** Tries the key of each identity of IDENTITIES, or else each key, at a few operations. */
export const askWithGivenKeys = async (target: Target, contract: Contract): Promise<Diagnosis[]> => {
  const ring = new KeyRing({ keys: target.keys });
  const subject: Subject = { contract, deployment: deploymentOf(target, traitsOf(target, ring), 'doctor') };
  const wire = new WireClient({ ...target, keys: ring, salt: 'doctor' });
  const found: Diagnosis[] = [];
  try {
    if (target.identities === undefined) return await askWithKeys(subject, wire);
    for (const identity of subject.deployment.identities ?? []) {
      const { well, doubt, trouble, skipped } = about(`identity ${identity.name}`);
      const views = readsFor(identity, subject);
      if (views.length === 0) {
        const hasKeys = Object.values(identity.keys ?? {}).every((setting) => target.keys[setting] !== undefined);
        const says = hasKeys ? 'No operation without a parameter is one that it may read.' : 'Its key was not got.';
        found.push(skipped(says));
        continue;
      }
      const refused: string[] = [];
      for (const { subject: read } of views) {
        const { attempts } = await wire.send(keyedControl(read, 1));
        const status = attempts.at(-1)?.response?.status;
        const path = targetOf(read);
        if (status === undefined)
          found.push(trouble(`${path} gives it no answer.`, 'Try again; if it stays so, look at the service.'));
        else if (status >= 200 && status < 300) found.push(well(`${path} answers ${status} to its key.`));
        else {
          refused.push(`${path} answers ${status} to its key`);
          continue;
        }
        break;
      }
      if (refused.length === views.length)
        found.push(
          doubt(
            `${refused.join(', ')}.`,
            'Look at its key, and at its scopes in IDENTITIES: nothing is judged of a key that opens nothing.',
          ),
        );
    }
    return found;
  } finally {
    await wire.close();
  }
};
