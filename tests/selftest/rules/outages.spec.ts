import { faults } from '../../../src/reference/index.js';
import { type Attempt, type Exchange, exchangeId, type Probe } from '../../../src/wire/types.js';
import { randomOf } from '../../generator/random.js';
import { judgeRecorded } from '../support/judge-recorded.js';
import { type Recording, readRecordings } from '../support/recordings.js';
import { expect, inCi, test } from '../support/test.js';
import { type Server, servers } from '../support/zoo.js';

/**
 * Requests that get no answer at random: no rule accuses a server for it, and no fault goes unseen
 * in a verdict.
 */

type Outage = 'silence' | 429 | 500 | 503;

const attemptOf = (outage: Outage): Attempt =>
  outage === 'silence'
    ? { error: { code: 'headers-timeout', message: 'no answer within 10 s' }, timing: { total: 10_000 } }
    : {
        response: {
          status: outage,
          httpVersion: '1.1',
          headers: [],
          size: 0,
          digest: '',
          truncated: false,
          shape: { kind: 'empty', mediaType: '', size: 0, truncated: false, digest: '', values: [] },
        },
        timing: { total: 1 },
      };

/** As often as a request is tried. */
const attemptsOf = (outage: Outage): readonly Attempt[] => Array.from({ length: 3 }, () => attemptOf(outage));

const unanswered = (probe: Probe): Exchange => ({
  id: exchangeId(probe),
  probe,
  request: { method: probe.method, url: `${probe.origin}${probe.target}`, headers: probe.headers },
  connection: { reused: false, protocol: 'http/1.1' },
  attempts: attemptsOf('silence'),
});

/** The recording where some of the requests got no answer, and so did those that are no part of it. */
const withOutages = (recording: Recording, outages: readonly Outage[], share: number, seed: string): Recording => ({
  ...recording,
  exchanges: new Map(
    [...recording.exchanges].map(([id, exchange]) => {
      const random = randomOf(`${seed} ${recording.server} ${id}`);
      return [id, random.chance(share) ? { ...exchange, attempts: attemptsOf(random.pick(outages)) } : exchange];
    }),
  ),
  lacking: unanswered,
});

/** What is wrong in the verdict on a server, in words. */
const wrongAt = async (
  { name, settings }: Server,
  outages: readonly Outage[],
  share: number,
): Promise<readonly string[]> => {
  const recording = readRecordings().get(name);
  if (!recording) return [];
  const { failedClauses, results } = await judgeRecorded(withOutages(recording, outages, share, 'fixed'), settings);
  const fault = faults.find((one) => one.name === name);
  const untrue = failedClauses.filter((clause) => !fault?.clauses.some((own) => own === clause));
  const isUnseen = fault !== undefined && fault.twin === undefined && results.verdict === 'conformant';
  return [...untrue.map((clause) => `${name}: ${clause} failed`), ...(isUnseen ? [`${name}: conformant`] : [])];
};

const judged = async (of: readonly Server[], outages: readonly Outage[], share: number): Promise<readonly string[]> => {
  const wrong: string[] = [];
  for (const server of of) wrong.push(...(await wrongAt(server, outages, share)));
  return wrong;
};

const conforming = servers.filter(({ kind }) => kind !== 'fault');
const some = (all: readonly Server[]): readonly Server[] => all.filter((_, index) => index % 12 === 0);

test('no answer to some requests accuses nobody, and no fault is conformant', async () => {
  expect(await judged(some(servers), ['silence', 429], 0.1)).toEqual([]);
});

test('errors to some requests accuse no conforming server', async () => {
  expect(await judged(some(conforming), ['silence', 429, 500, 503], 0.1)).toEqual([]);
});

for (const share of [0.03, 0.2])
  test(`each server of the zoo, where ${share} of the requests get no answer`, inCi, async () => {
    expect(await judged(servers, ['silence', 429], share)).toEqual([]);
    expect(await judged(conforming, ['silence', 429, 500, 503], share)).toEqual([]);
  });
