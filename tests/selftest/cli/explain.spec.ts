import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from '../support/app.js';
import { expect, test } from '../support/test.js';

for (const [id, texts] of [
  ['AUTH-3', ['AUTH-3  ', 'refuses-missing-key  ', 'refuses-leftovers  ', 'Fixes']],
  ['auth-3', ['refuses-missing-key  ']],
  ['refuses-missing-key', ['AUTH-3  ', 'Deny by default']],
  ['refuses-missing-key@listWorkouts', ["plan --only 'refuses-missing-key@listWorkouts'", 'Causes']],
  ['GAP-ERRORS', ['GAP-ERRORS  ', 'observes-refusals  ', 'It cannot fail']],
  ['GAP-EVENTS', ['GAP-EVENTS  ', 'Nobody observes it']],
  ['PAGE-1', ['makes-a-key  ', 'KEY_PAGE_GENERATE']],
  ['makes-a-key@key-page', ['PAGE-1']],
] as const)
  test(`explains ${id}`, async ({ cwd }) => {
    const { code, out, err } = await app(['explain', id], { cwd });
    expect(err).toBe('');
    expect(code).toBe(0);
    for (const text of texts) expect(out).toContain(text);
  });

test('an unknown id is exit 3 with the nearest name', async ({ cwd }) => {
  for (const [id, near] of [
    ['AUHT-3', 'AUTH-3'],
    ['refuse-missing-keys', 'refuses-missing-key'],
    ['refuses-missing-key@listWorkout', 'refuses-missing-key@listWorkouts'],
    ['GAP-ERROR', 'GAP-ERRORS'],
  ]) {
    const { code, err } = await app(['explain', id ?? ''], { cwd });
    expect(err).toContain(`did you mean ${near}?`);
    expect(code).toBe(3);
  }
  expect((await app(['explain'], { cwd })).code).toBe(3);
  expect((await app(['explain', 'zzzzzzzz'], { cwd })).err).toContain('access-conformance list');
});

test('as JSON', async ({ cwd }) => {
  const { out } = await app(['explain', 'AUTH-4', '--json'], { cwd });
  expect(JSON.parse(out)).toMatchObject({ clause: { id: 'AUTH-4' }, rules: [{ rule: 'opens-without-credentials' }] });
});

test('what several rules judge alike is said once, and a rule alone says it itself', async ({ cwd }) => {
  const alike = 'Blocked: the key itself opens nothing';
  const { out } = await app(['explain', 'AUTH-3'], { cwd });
  expect(out.split(alike)).toHaveLength(2);
  expect(out.indexOf('How all of these rules judge')).toBeLessThan(out.indexOf(alike));
  const { out: ofOne } = await app(['explain', 'refuses-leftovers'], { cwd });
  expect(ofOne).not.toContain('How all of these rules judge');
  expect(ofOne.split(alike)).toHaveLength(2);
});

test('an accusation names the line of the table, on the console and in the summary', async ({ cwd }) => {
  const run = ['run', '--reference', '--fault', 'no-key-asked', '--only', 'refuses-missing-key'];
  const { out } = await app(run, { cwd });
  const [, line] = /seen .*\(line (\d+) of the table/i.exec(out.replace(/\s+/g, ' ')) ?? [];
  expect(line).toBe('1');
  expect(readFileSync(join(cwd, 'reports', 'conformance', 'summary.md'), 'utf8')).toContain(
    `(line ${line} of the table`,
  );
  expect((await app(['explain', 'AUTH-3'], { cwd })).out).toMatch(new RegExp(`^ +${line}  `, 'm'));
});
