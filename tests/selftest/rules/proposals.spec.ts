import { baselineText } from '../../../src/app/prepare.js';
import { loadContract } from '../../../src/contract/load.js';
import { asset } from '../../../src/package.js';
import { proposalOf } from '../../../src/proposal/proposal.js';
import { overlayText, proposalPage } from '../../../src/proposal/proposal-page.js';
import { workoutsOf } from '../../../src/reference/data.js';
import { variants } from '../../../src/reference/index.js';
import { isDistinctive } from '../../../src/wire/scalars.js';
import { withFiles } from '../support/documents.js';
import { judgeRecorded } from '../support/judge-recorded.js';
import { readRecordings } from '../support/recordings.js';
import { expect, inCi, sample, test } from '../support/test.js';

/**
 * What is proposed of a conforming service is kept by it, and nothing of what the key opens is in a
 * baseline or a proposal, whatever the form of the service.
 */

const scalarsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(scalarsIn) : [String(value)];

/** Everything telling that the key's owner sees, whole and as words of its sentences. */
const data = [...new Set(scalarsIn(workoutsOf('mara')).flatMap((text) => [text, ...text.split(/[\s,;.]+/)]))].filter(
  (text) => isDistinctive(text),
);

const keywords = /^\s*(?:- )?(?:enum|const|default|example|examples|pattern|minimum|maximum|minLength|maxLength):/m;

test(
  'a conforming service keeps what is proposed of it, and no baseline and no proposal holds its data',
  inCi,
  async () => {
    expect(data.length).toBeGreaterThan(50);
    const recordings = readRecordings();
    let judged = 0;
    for (const { name, settings = {} } of sample(variants, 12)) {
      const recording = recordings.get(name);
      if (!recording) continue;
      const { results } = await judgeRecorded(recording, settings);
      const contract = await loadContract(asset('openapi', 'fitness-data-service.yaml'), { paths: settings });
      const proposal = proposalOf(contract, [results]);
      const overlay = overlayText(proposal);
      const texts = `${baselineText(results)}\n${overlay}\n${proposalPage(proposal).replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')}`;
      expect(
        data.filter((text) => texts.includes(text)),
        name,
      ).toEqual([]);
      expect(overlay, name).not.toMatch(keywords);
      const [, actions = ''] = overlay.split('\nactions:\n');
      for (const action of actions.trimEnd().split('\n\n')) expect(action, name).toMatch(/^ {2}# /);
      // With the extended probes, a media type that the overlay adds would be asked for.
      const asked = { ...settings, PROBES: 'standard' };
      const before = results.verdict === 'conformant' ? results : (await judgeRecorded(recording, asked)).results;
      const kept = await withFiles({ 'o.yaml': overlay }, (path) =>
        judgeRecorded(recording, { ...asked, OVERLAY: path('o.yaml') }),
      );
      expect(kept.failedClauses, name).toEqual([]);
      expect(kept.results.verdict, name).toBe(before.verdict);
      judged += 1;
    }
    expect(judged).toBeGreaterThan(20);
  },
);

test('what was seen open stands in comments, and makes the operation public for who accepts it', async () => {
  const recording = readRecordings().get('no-key-asked');
  if (!recording) throw new Error('there is no recording of no-key-asked');
  const document = asset('openapi', 'fitness-data-service.yaml');
  const { results } = await judgeRecorded(recording, {});
  const proposed = overlayText(proposalOf(await loadContract(document), [results]));
  const accepted = proposed.replace(
    /^ {2}# (- target: .*workout.*\n)((?: {2}# .*\n)+)/gm,
    (_all, first, rest) => `  ${first}${rest.replaceAll('  # ', '  ')}`,
  );
  const accessWith = (overlay: string): Promise<unknown> =>
    withFiles({ 'o.yaml': overlay }, async (path) => {
      const { operations } = await loadContract(document, { overlay: path('o.yaml') });
      return operations.find(({ path: at }) => at === '/api/v2/workout/')?.access;
    });
  expect(await accessWith(proposed)).toBe('protected');
  expect(await accessWith(accepted)).toBe('public');
});
