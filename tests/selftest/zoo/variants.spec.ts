import { baselineText } from '../../../src/app/prepare.js';
import { loadContract } from '../../../src/contract/load.js';
import { isComparable } from '../../../src/engine/facts.js';
import { asset } from '../../../src/package.js';
import { type Proposal, proposalOf } from '../../../src/proposal/proposal.js';
import { overlayText, proposalPage } from '../../../src/proposal/proposal-page.js';
import { type ReferenceService, startReference, variants } from '../../../src/reference/index.js';
import { isPlainName } from '../../../src/wire/body-shape.js';
import { isDistinctive } from '../../../src/wire/scalars.js';
import { withFiles } from '../support/documents.js';
import { type JudgedRun, judgeRunning } from '../support/judge.js';
import { judgeRecorded } from '../support/judge-recorded.js';
import { readRecordings } from '../support/recordings.js';
import { expect, sample, test } from '../support/test.js';
import { isOutOfReach } from '../support/zoo.js';

/**
 * No conforming server is accused, however unusual its way, over real sockets: the whole suite
 * against the real service. Two runs see the same facts, and what they propose as contract is kept.
 */

const shippedContract = asset('openapi', 'fitness-data-service.yaml');

const proposing = sample(variants, 160);

const comparable = ({ results }: JudgedRun) =>
  Object.fromEntries(
    (results.facts ?? [])
      .filter((fact) => isComparable(fact) && !fact.id.startsWith('tls@'))
      .map(({ id, value }) => [id, value]),
  );

const proposed = async ({ results }: JudgedRun, paths: Readonly<Record<string, string>>): Promise<Proposal> =>
  proposalOf(await loadContract(shippedContract, { paths }), [results]);

/** Telling scalars, and member names that look like data. */
const tellingIn = (value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null) return isDistinctive(String(value)) ? [String(value)] : [];
  const names = Array.isArray(value) ? [] : Object.keys(value).filter((name) => !isPlainName(name));
  return [...names, ...Object.values(value).flatMap(tellingIn)];
};

/** The same of the body that the key opens; none of one that is no JSON. */
const keyedData = async (service: ReferenceService, settings: Readonly<Record<string, string>>) => {
  const { exchanges } = await judgeRunning(service, {
    settings: { ...settings, EVIDENCE: 'full' },
    only: ['takes-key-where-documented'],
    exchanges: true,
  });
  return exchanges
    .filter(({ probe }) => probe.name === 'with the key')
    .flatMap(({ attempts }) => {
      try {
        return tellingIn(JSON.parse(attempts.at(-1)?.response?.body ?? ''));
      } catch {
        return [];
      }
    });
};

/** The ones that wait longest go first, so that the others fill the time beside them. */
const slow = [
  'plain-http-silent',
  'bans-by-hanging-up',
  'hangs-up-half-way',
  'no-key-hangs-up',
  'five-a-second',
  'limits-wrong-keys',
  'slow',
  'resets',
];
const rank = (name: string): number => {
  const index = slow.findIndex((prefix) => name.startsWith(prefix));
  return index < 0 ? slow.length : index;
};

for (const variant of [...sample(variants, 80)].sort((a, b) => rank(a.name) - rank(b.name)))
  test(`${variant.name}: ${variant.title}`, { tag: '@ci' }, async () => {
    test.skip(isOutOfReach(variant), 'this machine has no IPv6');
    const service = await startReference({ variant: variant.name });
    try {
      const settings = variant.settings ?? {};
      const run = await judgeRunning(service, { settings });
      const accused = run.results.checks
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ id, reason }) => `${id}: ${reason}`);
      expect(accused, 'accusations').toEqual([]);
      const open = run.results.checks.filter(({ outcome }) => outcome === 'inconclusive' || outcome === 'blocked');
      expect(run.results.verdict, open.map(({ id, reason }) => `${id}: ${reason}`).join('\n')).toBe(
        variant.verdict ?? 'conformant',
      );
      for (const [rule, outcome] of Object.entries(variant.outcomes ?? {}))
        expect(run.outcomesOf(rule), rule).toContain(outcome);

      if (!proposing.includes(variant)) return;
      const recording = readRecordings().get(variant.name);
      if (!recording) throw new Error(`${variant.name} was never recorded`);
      expect(comparable(run), 'facts of another run').toEqual(comparable(await judgeRecorded(recording, settings)));
      if (run.results.verdict === 'conformant') {
        const proposal = await proposed(run, settings);
        const overlay = overlayText(proposal);
        const texts = [
          baselineText(run.results),
          overlay,
          proposalPage(proposal).replace(/<(style|script)>.*?<\/\1>/gs, ''),
        ];
        // A link of an answer to itself is the contract's own path.
        const said = run.results.operations.map(({ path }) => path);
        const data = (await keyedData(service, settings)).filter((text) => !said.includes(text));
        expect(data.filter((text) => texts.some((each) => each.includes(text)))).toEqual([]);
        expect(texts.join('\n')).not.toMatch(/#[\w-]{12}\b/);
        await withFiles({ 'proposed.overlay.yaml': overlay }, async (path) => {
          const kept = await judgeRunning(service, {
            settings: { ...settings, OVERLAY: path('proposed.overlay.yaml') },
            // The other clauses are judged from recordings: rules/proposals.
            only: ['DOC-1', 'DOC-2', 'DOC-3'],
          });
          expect(kept.results.checks.filter(({ outcome }) => !['passed', 'excluded'].includes(outcome))).toEqual([]);
        });
      }
    } finally {
      await service.close();
    }
  });
