import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from '../support/app.js';
import { expect, inCi, test } from '../support/test.js';

const file = 'reports/conformance/results.json';

test('judges a recorded run again: nothing changed, the same verdict and exit code', inCi, async ({ cwd }) => {
  for (const [flags, code, sentence] of [
    [[], 0, 'Conformant: '],
    [['--fault', 'no-key-asked'], 1, 'Not conformant: '],
  ] as const) {
    expect((await app(['run', '--reference', '--probes', 'standard', ...flags], { cwd })).code).toBe(code);
    const again = await app(['judge', file, '--reports-dir', 'anew'], { cwd });
    expect(again.err).toBe('');
    expect(again.out).toMatch(/^Nothing changed: \d+ checks judged again by the same version/m);
    expect(again.out).toContain(sentence);
    expect(again.code).toBe(code);
    const checks = (path: string) => JSON.parse(readFileSync(join(cwd, path), 'utf8')).checks;
    expect(checks('anew/conformance/results.json')).toEqual(checks(file));
  }
});

test('a cause with several ways is the same where the document lies elsewhere today', inCi, async ({ cwd }) => {
  await app(['run', '--reference', '--fault', 'bearer-unchecked', '--only', 'refuses-worthless-keys'], { cwd });
  const path = join(cwd, file);
  const text = readFileSync(path, 'utf8');
  const { contract, checks } = JSON.parse(text);
  expect(checks[0].cause.ways.length).toBeGreaterThan(0);
  writeFileSync(path, text.replaceAll(JSON.stringify(contract.file), '"elsewhere/contract.yaml"'));
  const again = await app(['judge', file], { cwd });
  expect(again.out).toMatch(/^Nothing changed: /m);
});

test('the contract is found by its checksum, and another one is refused', inCi, async ({ cwd }) => {
  await app(['run', '--reference', '--probes', 'standard', '--only', 'AUTH-4'], { cwd });
  const path = join(cwd, file);
  const text = readFileSync(path, 'utf8');
  const { contract } = JSON.parse(text);
  // Recorded on another machine: the path leads nowhere, the shipped document has the checksum.
  writeFileSync(path, text.replaceAll(JSON.stringify(contract.file), '"elsewhere/contract.yaml"'));
  expect((await app(['judge', file], { cwd })).code).toBe(0);
  const { seed } = JSON.parse(text).recording;
  writeFileSync(path, text.replace(JSON.stringify(seed), '""'));
  const shards = await app(['judge', file], { cwd });
  expect(shards.err).toContain('the same ACCESS_CONFORMANCE_SEED');
  expect(shards.code).toBe(3);
  writeFileSync(path, text.replaceAll(contract.sha256, '0'.repeat(64)));
  const lost = await app(['judge', file], { cwd });
  expect(lost.err).toContain('name it with --contract FILE');
  expect(lost.code).toBe(3);
  const other = await app(['judge', file, '--contract', join(process.cwd(), contract.file)], { cwd });
  expect(other.err).toContain('not the contract that the run was judged by');
  expect(other.code).toBe(3);
  expect((await app(['judge', 'nowhere.json'], { cwd })).code).toBe(3);
});
