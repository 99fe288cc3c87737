import { readFileSync } from 'node:fs';
import { loadContract } from '../../../src/contract/load.js';
import { asset } from '../../../src/package.js';
import { rules } from '../../../src/rules/index.js';
import { expect, test } from '../support/test.js';

/** One clause or gap as `specs/access-contract.md` has it. */
interface Entry {
  readonly id: string;
  readonly sentence: string;
  readonly source: string;
  readonly checks: readonly string[];
  readonly excluded?: string;
}

const read = (text: string): readonly Entry[] =>
  [
    ...text.matchAll(/^<a id="([A-Z]+-[A-Z0-9-]+)"><\/a>\n#### (\S+)\n\n((?:> .*\n)+)\n((?:- .*\n(?: {2}.*\n)*)+)/gm),
  ].map(([, id = '', heading, quote = '', list = '']) => {
    expect(heading, `the heading under the anchor ${id}`).toBe(id);
    const item = (name: RegExp): string | undefined =>
      list
        .split(/\n(?=- )/)
        .find((line) => name.test(line))
        ?.replace(name, '')
        .replace(/\s+/g, ' ')
        .trim();
    const excluded = item(/^- Excluded: /);
    return {
      id,
      sentence: quote.replace(/^> /gm, '').replace(/\s+/g, ' ').trim(),
      source: item(/^- Section: /) ?? '',
      checks: [...(item(/^- (Checks|Observed by): /) ?? '').matchAll(/`([^`]+)`/g)].map(([, check = '']) => check),
      ...(excluded === undefined ? {} : { excluded }),
    };
  });

const specs = read(readFileSync(asset('specs', 'access-contract.md'), 'utf8'));
const contract = loadContract(asset('openapi', 'fitness-data-service.yaml'));
const clauses = specs.filter(({ id }) => !id.startsWith('GAP-'));
const gaps = specs.filter(({ id }) => id.startsWith('GAP-'));

interface NamedRule {
  readonly id: string;
  readonly clauses: readonly string[];
  readonly gaps?: readonly string[];
}

/** Rules that prove clauses which only documents that state responses, scopes or owners have. */
const ofOtherDocuments = new Set([
  'opens-to-stated-scopes',
  'refuses-other-scopes',
  'keeps-lists-apart',
  'keeps-items-apart',
  'documented-status',
  'documented-body',
  'documented-refusal',
]);

test('the specs and the OpenAPI document have the same clauses, in the same words', async () => {
  const document = (await contract).clauses.map(({ id, text, source }) => ({ id, sentence: text, source }));
  expect(clauses.map(({ id, sentence, source }) => ({ id, sentence, source }))).toEqual(document);
});

test('the specs and the OpenAPI document have the same gaps, in the same words', async () => {
  const document = (await contract).gaps.map(({ id, question, source, excluded }) => ({
    id,
    sentence: question,
    source,
    excluded,
  }));
  expect(gaps.map(({ id, sentence, source, excluded }) => ({ id, sentence, source, excluded }))).toEqual(document);
});

test('every clause has a check, and every gap is observed or excluded with a reason', () => {
  for (const { id, checks } of clauses) expect(checks, id).not.toEqual([]);
  for (const { id, checks, excluded } of gaps) expect(checks.length > 0, id).toBe(excluded === undefined);
});

test('every anchor is there once, and every link inside the specs leads to one', () => {
  const text = readFileSync(asset('specs', 'access-contract.md'), 'utf8');
  const anchors = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  expect(new Set(anchors).size).toBe(anchors.length);
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
  for (const [, link = ''] of text.matchAll(/\]\(#([^)]+)\)/g)) expect([...anchors, ...headings]).toContain(link);
});

test('the checks that the specs name are the rules, both ways', () => {
  const said = (entries: readonly Entry[]): readonly string[] =>
    entries.flatMap(({ id, checks }) => checks.map((check) => `${check} → ${id}`)).toSorted();
  const coded = (of: (rule: NamedRule) => readonly string[]): readonly string[] =>
    rules
      .filter(({ id }) => !ofOtherDocuments.has(id))
      .flatMap((rule) => of(rule).map((id) => `${rule.id} → ${id}`))
      .toSorted();
  const known = new Set(rules.map(({ id }) => id));
  expect(
    specs.flatMap(({ checks }) => checks).filter((check) => !known.has(check)),
    'checks that are no rule',
  ).toEqual([]);
  expect(coded((rule) => rule.clauses)).toEqual(said(clauses));
  expect(coded((rule) => rule.gaps ?? [])).toEqual(said(gaps));
});

test('the shipped contract says who may read what, and nothing about answers', async () => {
  const contract = await loadContract(asset('openapi', 'fitness-data-service.yaml'));
  expect(contract.operations.map(({ id, access, target }) => [id, access, target])).toEqual([
    ['listWorkouts', 'protected', '/api/v2/workout/'],
    ['listExercises', 'public', '/api/v2/exercise/'],
    ['listIngredients', 'public', '/api/v2/ingredient/'],
  ]);
});
