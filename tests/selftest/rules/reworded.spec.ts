import { groupBy } from '../../../src/collections.js';
import { loadContract } from '../../../src/contract/load.js';
import { judgeAgain } from '../../../src/engine/judge-again.js';
import type { Finding, RunRecord } from '../../../src/engine/results.js';
import { asset } from '../../../src/package.js';
import { verdictSentence } from '../../../src/report/run-summary.js';
import { because } from '../../../src/rules/support/judgement.js';
import { type JudgedRun, judgeReference, judgeRunning } from '../support/judge.js';
import { type Judges, judgeRecorded } from '../support/judge-recorded.js';
import { readRecordings } from '../support/recordings.js';
import { opaque, rewordBuild } from '../support/reworded-build.js';
import { expect, inCi, test } from '../support/test.js';
import { servers } from '../support/zoo.js';

/**
 * Nothing decides by a sentence: a build in which each is another one judges the same exchanges in
 * the same way.
 */

/** What code may decide by, and nothing that people read. */
const decided = ({ id, outcome, cause, blockers, readings, exchanges, comparedWith }: Finding) => ({
  ...{ id, outcome, cause: cause?.id, blockers, readings, exchanges, comparedWith },
});

/** Checks that a report shows as one. */
const groupsOf = (findings: readonly Finding[]): readonly (readonly string[])[] =>
  [...groupBy(findings, ({ outcome, cause, id }) => `${outcome} ${cause ? JSON.stringify(cause) : id}`).values()].map(
    (group) => group.map(({ id }) => id),
  );

/** A recording, with other words than today's in what was found then. */
const recordOf = ({ results, exchanges }: JudgedRun, checks = results.checks): RunRecord => ({
  results: {
    ...results,
    checks: checks.map((finding) => ({ ...finding, reason: opaque(finding.reason) })),
  },
  async *exchanges() {
    yield* exchanges;
  },
  dispose: async () => {},
});

const shipped = ({ results }: JudgedRun) =>
  loadContract(asset('openapi', 'fitness-data-service.yaml'), { keys: Object.keys(results.recording.keys) });

/** CI judges one server of so many, and a run with `ZOO=all` every one, for 20 seconds. */
const every = process.env.ZOO === 'all' ? 1 : 40;

/** What is decided, and which checks a report shows as one, by one build and by the other. */
const compare = (here: RunRecord['results'], there: RunRecord['results']): void => {
  expect(there.checks.map(decided)).toEqual(here.checks.map(decided));
  expect(there.verdict).toBe(here.verdict);
  expect(there.clauses.map(({ id, outcome }) => [id, outcome])).toEqual(
    here.clauses.map(({ id, outcome }) => [id, outcome]),
  );
  expect(groupsOf(there.checks)).toEqual(groupsOf(here.checks));
  const kept = there.checks.filter(
    ({ reason }, index) => reason === here.checks[index]?.reason && /[a-z]{2,} [a-z]/.test(reason),
  );
  expect(kept.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
};

test('a build in which every sentence is another one judges and groups the same', inCi, async () => {
  const build = rewordBuild(['rules', 'engine', 'report', 'wire']);
  try {
    const { verdictSentence: otherSentence } =
      await build.load<typeof import('../../../src/report/run-summary.js')>('report/run-summary.js');
    const { judgeAgain: otherJudge } =
      await build.load<typeof import('../../../src/engine/judge-again.js')>('engine/judge-again.js');
    const judges: Judges = {
      ...(await build.load<typeof import('../../../src/engine/ask.js')>('engine/ask.js')),
      ...(await build.load<typeof import('../../../src/engine/build-results.js')>('engine/build-results.js')),
      ...(await build.load<typeof import('../../../src/engine/findings.js')>('engine/findings.js')),
      ...(await build.load<typeof import('../../../src/engine/unjudged.js')>('engine/unjudged.js')),
      ...(await build.load<typeof import('../../../src/engine/plan.js')>('engine/plan.js')),
      ...(await build.load<typeof import('../../../src/engine/starting-service.js')>('engine/starting-service.js')),
    };
    const recordings = readRecordings();
    for (const { name, settings } of servers.filter((_, index) => index % every === 0))
      await test.step(name, async () => {
        const recording = recordings.get(name);
        if (!recording) throw new Error(`${name} was never recorded`);
        const { results: here } = await judgeRecorded(recording, settings);
        const { results: there } = await judgeRecorded(recording, settings, judges);
        compare(here, there);
      });
    const again = async (run: JudgedRun) => {
      const contract = await shipped(run);
      const { results: here } = (await judgeAgain(recordOf(run), contract)).record;
      const { results: there } = (await otherJudge(recordOf(run), contract)).record;
      compare(here, there);
      return { here, there };
    };
    await test.step('a wrong key', async () => {
      await again(await judgeReference({ settings: { API_KEY: '0123456789abcdef' }, exchanges: true }));
    });
    await test.step('no key', async () => {
      await again(await judgeReference({ settings: { API_KEY: '' }, exchanges: true }));
    });
    await test.step('a deployment that gives no answer', async () => {
      const nobody = { baseUrl: 'https://127.0.0.1:9', key: 'a-key-for-nobody' };
      const { here, there } = await again(await judgeRunning(nobody, { exchanges: true }));
      expect(otherSentence(there)).toBe(opaque(verdictSentence(here)));
    });
  } finally {
    build.remove();
  }
});

/** These read texts of web pages and of Playwright, and set numbers on the page. */
const readsOtherTexts = /^(?:keypage\/|cli\/commands\/merge\.js|report\/page\/overview\.js)/;

test('no code compares a text with a sentence, or searches it for one', () => {
  const build = rewordBuild(['rules', 'engine', 'report', 'cli', 'playwright', 'keypage']);
  build.remove();
  expect(build.comparisons.filter((place) => !readsOtherTexts.test(place))).toEqual([]);
});

test('a check that the run did not come to is known by its cause, and judged anew without one', async () => {
  const run = await judgeReference({ only: ['opens-without-credentials'], exchanges: true });
  const [first, ...rest] = run.results.checks;
  if (!first) throw new Error('nothing was judged');
  const stopped: Finding = { ...first, outcome: 'inconclusive', cause: because('run-stopped') };
  const contract = await shipped(run);
  const again = async (finding: Finding) =>
    (await judgeAgain(recordOf(run, [finding, ...rest]), contract)).record.results.checks[0];
  expect(await again(stopped)).toMatchObject({ outcome: 'inconclusive', cause: { id: 'run-stopped' } });
  const { cause: _, ...older } = stopped;
  expect(await again(older)).toMatchObject({ outcome: 'passed' });
});
