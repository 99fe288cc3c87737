import { faults } from '../../../src/reference/index.js';
import { type Attempt, type Exchange, exchangeId, type Probe } from '../../../src/wire/types.js';
import { randomOf } from '../../generator/random.js';
import { judgeRecorded } from '../support/judge-recorded.js';
import { type Recording, readRecordings } from '../support/recordings.js';
import { expect, inFull, test } from '../support/test.js';
import { type Server, servers } from '../support/zoo.js';

/**
 * Requests that get no answer at random, and clients that are shut out at some moment: no rule
 * accuses a server for it, and no fault goes unseen in a verdict. `npm run fuzz -- outages` draws
 * other requests and moments for `FUZZ_MS`, at every server; `ORACLE_SEED` repeats a seed.
 */

const { FUZZ_MS, ORACLE_SEED = FUZZ_MS === undefined ? 'fixed' : String(Date.now()) } = process.env;

test.setTimeout(Number(FUZZ_MS ?? 0) * 2 + 600_000);

type Outage = 'silence' | 'closed' | 200 | 401 | 403 | 404 | 429 | 500 | 503;

const attemptOf = (outage: Outage): Attempt =>
  typeof outage === 'string'
    ? { error: { code: outage === 'silence' ? 'headers-timeout' : 'reset', message: outage }, timing: { total: 1 } }
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

const answered = (probe: Probe, outage: Outage): Exchange => ({
  id: exchangeId(probe),
  probe,
  request: { method: probe.method, url: `${probe.origin}${probe.target}`, headers: probe.headers },
  connection: { reused: false, protocol: 'http/1.1' },
  attempts: attemptsOf(outage),
});

type Disturb = (recording: Recording, seed: string) => Recording;

/** Some of the requests get no answer, and so do those that are no part of the recording. */
const withOutages =
  (outages: readonly Outage[], share: number): Disturb =>
  (recording, seed) => ({
    ...recording,
    exchanges: new Map(
      [...recording.exchanges].map(([id, exchange]) => {
        const random = randomOf(`${seed} ${recording.server} ${id}`);
        return [id, random.chance(share) ? { ...exchange, attempts: attemptsOf(random.pick(outages)) } : exchange];
      }),
    ),
    lacking: (probe) => answered(probe, 'silence'),
  });

/** Answers as they were recorded up to some moment, and a ban from then on. */
class UntilBan extends Map<string, Exchange> {
  readonly #seen = new Map<string, Exchange>();
  readonly #ban: (exchange: Exchange) => Exchange;
  constructor(exchanges: ReadonlyMap<string, Exchange>, last: number, ban: (exchange: Exchange) => Exchange) {
    super(exchanges);
    this.#ban = (exchange) => (this.#seen.size < last ? exchange : ban(exchange));
  }
  override get(id: string): Exchange | undefined {
    const recorded = super.get(id);
    const seen = this.#seen.get(id) ?? (recorded && this.#ban(recorded));
    if (seen) this.#seen.set(id, seen);
    return seen;
  }
}

/** All requests but the first ones get one answer. */
const bannedAfter = (recording: Recording, last: number, ban: Outage): Recording => ({
  ...recording,
  exchanges: new UntilBan(recording.exchanges, last, (exchange) => ({ ...exchange, attempts: attemptsOf(ban) })),
  lacking: (probe) => answered(probe, ban),
});

const withBan =
  (bans: readonly Outage[]): Disturb =>
  (recording, seed) => {
    const random = randomOf(`${seed} ${recording.server} ban`);
    return bannedAfter(recording, random.int(1, random.pick([20, 100, 300])), random.pick(bans));
  };

/** What is wrong in the verdict on a server, in words. */
const wrongAt = async ({ name, settings }: Server, disturb: Disturb, seed: string): Promise<readonly string[]> => {
  const recording = readRecordings().get(name);
  if (!recording) return [];
  const { failedClauses, results } = await judgeRecorded(disturb(recording, seed), settings);
  const fault = faults.find((one) => one.name === name);
  const untrue = failedClauses.filter((clause) => !fault?.clauses.some((own) => own === clause));
  const isUnseen = fault !== undefined && fault.twin === undefined && results.verdict === 'conformant';
  return [
    ...untrue.map((clause) => `${seed} ${name}: ${clause} failed`),
    ...(isUnseen ? [`${seed} ${name}: conformant`] : []),
  ];
};

const wrongIn = async (of: readonly Server[], disturb: Disturb): Promise<readonly string[]> => {
  const end = Date.now() + Number(FUZZ_MS ?? 0);
  const wrong: string[] = [];
  let seed = ORACLE_SEED;
  do {
    for (const server of of) wrong.push(...(await wrongAt(server, disturb, seed)));
    seed = String(Date.now());
  } while (Date.now() < end);
  return wrong;
};

const conforming = servers.filter(({ kind }) => kind !== 'fault');
/** One of each `every` servers; `offset` chooses others. */
const some = (all: readonly Server[], every = 24, offset = 0): readonly Server[] =>
  FUZZ_MS === undefined ? all.filter((_, index) => index % every === offset) : all;

const errors: readonly Outage[] = ['silence', 429, 500, 503];
const bans: readonly Outage[] = ['closed', 'silence', 200, 401, 403, 404, 429, 503];

test('no answer to some requests accuses nobody, and no fault is conformant', async () => {
  expect(await wrongIn(some(servers), withOutages(['silence', 429], 0.1))).toEqual([]);
});

test('errors to some requests accuse no conforming server', async () => {
  expect(await wrongIn(some(conforming), withOutages(errors, 0.1))).toEqual([]);
});

test('a ban accuses nobody, and hides no fault from the verdict', async () => {
  const [server] = conforming;
  const recording = server && readRecordings().get(server.name);
  if (!recording) throw new Error('no conforming server was recorded');
  const banned = await judgeRecorded(bannedAfter(recording, 20, 403));
  expect(banned.results.verdict).toBe('incomplete');
  expect(await wrongIn(some(servers), withBan(bans))).toEqual([]);
});

test('a redirect of a public resource is unclear where the key gets no answer', async () => {
  const recording = readRecordings().get('public-redirects-to-login');
  if (!recording) throw new Error('the fault was not recorded');
  const isKeyed = ({ probe }: Exchange): boolean =>
    probe.name === 'with the key' && /exercise|ingredient/.test(probe.target);
  const exchanges = new Map(
    [...recording.exchanges].map(([id, one]) => [id, isKeyed(one) ? { ...one, attempts: attemptsOf('closed') } : one]),
  );
  const { results } = await judgeRecorded({ ...recording, exchanges, lacking: (probe) => answered(probe, 'closed') });
  const open = results.checks.filter(({ rule }) => rule === 'opens-without-credentials');
  expect(open.map(({ outcome }) => outcome)).toEqual(['inconclusive', 'inconclusive']);
  expect(open[0]?.reason).toContain('a redirect with nothing sent, and reset with the key');
});

for (const [offset, share] of [0.03, 0.2].entries())
  test(`a third of the zoo, where ${share} of the requests get no answer`, inFull, async () => {
    expect(await wrongIn(some(servers, 3, offset), withOutages(['silence', 429], share))).toEqual([]);
    expect(await wrongIn(some(conforming, 3, offset), withOutages(errors, share))).toEqual([]);
  });

test('a third of the zoo, where the client is shut out', inFull, async () => {
  expect(await wrongIn(some(servers, 3, 2), withBan(bans))).toEqual([]);
});
