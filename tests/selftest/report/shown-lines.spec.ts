import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { operationNames, titleOfFinding } from '../../../src/engine/causes/same-cause.js';
import { curlLine, noteStart } from '../../../src/engine/curl-line.js';
import type { Finding, Results } from '../../../src/engine/results.js';
import { asset } from '../../../src/package.js';
import { type ReferenceService, startReference } from '../../../src/reference/index.js';
import { clauseSentences, describeFinding, findingLines } from '../../../src/report/describe-finding.js';
import type { Exchange } from '../../../src/wire/types.js';
import { app } from '../support/app.js';
import { playwright } from '../support/front-end.js';
import { expect, inCi, rowsOfTable, sample, test } from '../support/test.js';
import { resultsIn } from '../support/written-results.js';

/**
 * What a reader copies out of a report and runs shows what the report says, whichever report it
 * was.
 */

test.skip(
  !['/usr/bin/curl', '/bin/curl', '/usr/local/bin/curl', '/opt/homebrew/bin/curl'].some((path) => existsSync(path)),
  'curl is not installed here',
);

const run = promisify(execFile);

const settingsOf = ({ baseUrl, httpBaseUrl, key, caFile }: ReferenceService): Record<string, string> => ({
  BASE_URL: baseUrl,
  HTTP_BASE_URL: httpBaseUrl,
  API_KEY: key,
  CA_FILE: caFile,
});

/**
 * Runs a line in bash as a person would paste it; gives the status, or curl's exit code where none
 * came.
 */
const statusOf = async (line: string, { key, caFile }: ReferenceService): Promise<string> => {
  const env = { ...process.env, API_KEY: key, CA_FILE: caFile };
  const { stdout } = await run('bash', ['-c', line], { env, encoding: 'latin1', maxBuffer: 16 << 20 }).catch(
    ({ code }: { code: number }) => ({ stdout: `exit ${code}` }),
  );
  // curl shows interim answers too.
  return /^(?:HTTP\/[\d.]+ 1\d\d.*?\r\n\r\n)*HTTP\/[\d.]+ (\d+)/s.exec(stdout)?.[1] ?? stdout;
};

/** What the last attempt got. */
const seenIn = ({ attempts }: Exchange): string => String(attempts.at(-1)?.response?.status ?? 'no answer');

const decisiveOf = ({ exchanges: [first] }: Finding, { exchanges }: Results): Exchange => {
  const found = exchanges.find(({ id }) => id === first);
  if (!found) throw new Error(`${first} was not recorded`);
  return found;
};

const unescaped = (xml: string): string =>
  xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

const linesIn = (text: string): readonly string[] =>
  [...text.matchAll(/^\s*(?:try it:\s*)?(curl .*)$/gm)].map(([, line = '']) =>
    line.replace(/<\/(?:failure|error)>.*$/, ''),
  );

const row = rowsOfTable();
for (const fault of [
  'no-key-asked',
  'wants-x-api-key',
  'no-slash-only',
  'backslash-opens',
  'x-original-url-routes',
  'host-localhost-trusted',
  'plain-http-for-x-forwarded-proto',
])
  test(
    `each curl line of page, summary, JUnit and console shows what the report says: ${fault}`,
    row(),
    async ({ cwd, chromium }) => {
      const service = await startReference({ fault });
      try {
        const { out } = await app(['run'], { cwd, env: settingsOf(service) });
        const results = resultsIn(cwd);
        const failed = results.checks.filter(({ outcome }) => outcome === 'failed');
        expect(failed.length).toBeGreaterThan(0);
        const folder = join(cwd, 'reports', 'conformance');
        const page = await chromium.newPage();
        await page.goto(pathToFileURL(join(folder, 'index.html')).href);
        const onPage = await page.locator('.card .command code').allInnerTexts();
        await page.close();
        const inSummary = linesIn(readFileSync(join(folder, 'summary.md'), 'utf8'));
        const inJunit = linesIn(unescaped(readFileSync(join(folder, 'junit.xml'), 'utf8')));
        const wanted = failed.map((finding) => curlLine(decisiveOf(finding, results), results.options));
        const ofCauses = (results.causes ?? []).flatMap(({ outcome, curl }) => (outcome === 'failed' ? curl : []));
        expect(onPage).toEqual(ofCauses);
        expect(inSummary).toEqual(ofCauses);
        expect(new Set(inJunit)).toEqual(new Set(wanted));
        expect(linesIn(out)).toEqual(ofCauses);
        expect(ofCauses.filter((line) => !wanted.includes(line))).toEqual([]);
        for (const finding of failed) {
          const exchange = decisiveOf(finding, results);
          expect(await statusOf(curlLine(exchange, results.options), service), finding.id).toBe(seenIn(exchange));
        }
      } finally {
        await service.close();
      }
    },
  );

test('each exchange of the page’s wire logs has a line that shows the same status', inCi, async ({ cwd }) => {
  // A service that opens without a key is sent no bypass.
  const service = await startReference();
  try {
    await app(['run', '--quiet'], { cwd, env: settingsOf(service) });
    const { exchanges, options } = resultsIn(cwd);
    // What a line cannot repeat stands in its note.
    const lines = sample(exchanges, 9)
      .map((exchange) => [curlLine(exchange, options), seenIn(exchange)] as const)
      .filter(([line, seen]) => !line.includes(noteStart) && seen !== 'no answer');
    expect(lines.length).toBeGreaterThan(10);
    const wrong: string[] = [];
    for (const [line, seen] of lines) {
      const status = await statusOf(line, service);
      if (status !== seen) wrong.push(`${seen}, and curl got ${status}: ${line}`);
    }
    expect(wrong).toEqual([]);
  } finally {
    await service.close();
  }
});

test('Playwright says of a failure what page and JUnit say, and its line runs', inCi, async ({ cwd }) => {
  const service = await startReference({ fault: 'no-key-asked' });
  try {
    const file = join(cwd, 'out.json');
    await playwright(cwd, { ...settingsOf(service), PLAYWRIGHT_JSON_OUTPUT_NAME: file }, [
      '--grep',
      'refuses-missing-key@|refuses-proxy-fields@|serves-https@',
      `--reporter=json,${asset('dist', 'src', 'playwright', 'reporter.js')}`,
    ]);
    const told = readFileSync(file, 'utf8');
    const { suites } = JSON.parse(told) as { suites: unknown[] };
    const tests = testsIn(suites);
    const results = resultsIn(cwd);
    const failed = results.checks.filter(({ outcome }) => outcome === 'failed');
    expect(failed.length).toBeGreaterThan(0);
    for (const finding of failed) {
      const exchange = decisiveOf(finding, results);
      const lines = [
        ...clauseSentences(finding, results.clauses),
        ...findingLines(describeFinding(finding, exchange, results.options)),
      ];
      const own = tests.find(({ tags }) => tags.includes(finding.id));
      const junit = unescaped(readFileSync(join(cwd, 'reports', 'conformance', 'junit.xml'), 'utf8'));
      const title = titleOfFinding(finding, operationNames(results.operations));
      expect(junit).toContain(`>${[title, ...lines].join('\n')}</failure>`);
      expect(own?.message).toContain([title, ...lines].join('\n'));
      const line = /^try it:\s+(curl .*)$/m.exec(own?.message ?? '')?.[1] ?? '';
      expect(line).toMatch(/--cacert "\$\{CA_FILE:\?\}"/);
      expect(await statusOf(line, service)).toBe(seenIn(exchange));
    }
    // Tags are clauses, operations and checks, and nothing hangs on to them.
    const said = new Set(tests.flatMap(({ tags }) => tags));
    const meant = results.checks.flatMap(({ id, operation, clauses }) => [id, operation, ...clauses]);
    expect(said).toEqual(new Set(meant));
  } finally {
    await service.close();
  }
});

interface FindingText {
  readonly title: string;
  readonly tags: readonly string[];
  readonly message: string;
}

interface Suite {
  readonly suites?: readonly Suite[];
  readonly specs?: readonly {
    readonly title: string;
    readonly tags: readonly string[];
    readonly tests: readonly { readonly results: readonly { readonly error?: { readonly message: string } }[] }[];
  }[];
}

const testsIn = (suites: readonly unknown[]): readonly FindingText[] =>
  (suites as readonly Suite[]).flatMap(({ suites: inner = [], specs = [] }) => [
    ...specs.map(({ title, tags, tests }) => ({
      title,
      tags,
      message: tests[0]?.results[0]?.error?.message ?? '',
    })),
    ...testsIn(inner),
  ]);
