import { fetchOptionsOf, judgePrepared } from '../app/run.js';
import { observationsIn } from '../engine/facts.js';
import type { Observation, Results } from '../engine/results.js';
import { messageOf } from '../errors.js';
import type { FetchedKey } from '../keys/fetched-key.js';
import { createKeyFetcher } from '../keys/key-origins.js';
import type { Exchange } from '../wire/types.js';
import { notAsked, openSessions, type RunSeeds } from './session.js';

/** The child process that walks through the key page of one deployment, as its parent asks. */

export interface PageRequest extends RunSeeds {
  readonly project: string;
  /** Ids of the checks to judge. */
  readonly ids: readonly string[];
  readonly maxRequests?: number | undefined;
  /** The keys that the run has fetched, by setting. */
  readonly keys: readonly (readonly [setting: string, key: FetchedKey])[];
}

export interface JudgedPage extends Pick<Results, 'checks' | 'requestsSent' | 'complete'> {
  readonly observations: readonly Observation[];
  readonly exchanges: readonly Exchange[];
  /** Settings whose keys the page's action has revoked. */
  readonly ended: readonly string[];
  /** Secrets of the page, which answers of the API may hold. */
  readonly learned: readonly string[];
}

const judgePage = async ({ project, ids, maxRequests, keys, ...seeds }: PageRequest): Promise<JudgedPage> => {
  const [session] = (await openSessions({ ...seeds, project })).sessions;
  if (!session) throw new TypeError('the parent names one of the sessions');
  const fetch = createKeyFetcher(session.origins, fetchOptionsOf(session));
  const { record, ended, learned } = await judgePrepared(
    { ...session, target: { ...session.target, maxRequests } },
    {
      seed: session.seed,
      salt: session.salt,
      only: ({ id }) => ids.includes(id),
      keyPage: { isAsked: true, notAsked },
      supply: keys.length > 0 ? { first: new Map(keys), renew: fetch } : undefined,
    },
  );
  const exchanges: Exchange[] = [];
  for await (const exchange of record.exchanges()) exchanges.push(exchange);
  await record.dispose();
  const { checks, requestsSent, complete } = record.results;
  return { checks, observations: observationsIn(record.results), exchanges, requestsSent, complete, ended, learned };
};

process.once('disconnect', () => process.exit());
process.once('message', (request: PageRequest) =>
  judgePage(request).then(
    (judged) => process.send?.(judged, () => process.exit(0)),
    (error: unknown) => {
      console.error(messageOf(error));
      process.exit(1);
    },
  ),
);
