import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownSummary } from '../../../src/report/markdown.js';
import type { RunSummary } from '../../../src/report/run-summary.js';
import { type GitLabJob, type Workflow, yamlOf } from '../support/ci-files.js';
import { conforming } from '../support/sample-runs.js';
import { shellIn } from '../support/shell.js';
import { expect, test } from '../support/test.js';

/** The nightly jobs keep one issue of what has drifted: opened once, then updated. */

const drifted: RunSummary = {
  ...conforming().results,
  verdict: 'drifted',
  drift: [{ id: 'tls@service', was: { version: 'TLSv1.2' }, is: { version: 'TLSv1.3' }, reads: 1, exchanges: [] }],
};

const workflow = yamlOf<Workflow>('docs', 'ci', 'github-scheduled.yml');
const byGitHub = workflow.jobs.drift?.steps.find(({ run }) => run?.includes('gh issue'));
const byGitLab = yamlOf<Record<string, GitLabJob>>('docs', 'ci', 'gitlab.yml')['conformance drift'];

interface Issued {
  readonly script: string;
  readonly client: 'gh' | 'curl';
  /** What the client prints when it is asked for the issue, where there is one. */
  readonly known: string;
  readonly opens: RegExp;
  readonly updates: RegExp;
}

const systems: Readonly<Record<string, Issued>> = {
  GitHub: {
    script: byGitHub?.run ?? '',
    client: 'gh',
    known: '12',
    opens: /^issue create --title The live API has drifted --label access-drift --body-file drift\.md$/m,
    updates: /^issue edit 12 --body-file drift\.md$/m,
  },
  GitLab: {
    script: (byGitLab?.after_script ?? []).join('\n'),
    client: 'curl',
    known: '[{"id":90,"iid":12,"title":"The live API has drifted"}]',
    opens: /^-fsS -X POST .* description@reports\/conformance\/summary\.md \S*\/issues$/m,
    updates: /^-fsS -X PUT .* description@reports\/conformance\/summary\.md \S*\/issues\/12$/m,
  },
};

for (const [name, { script, client, known, opens, updates }] of Object.entries(systems)) {
  const run = async (cwd: string, summary: string, answer: string): Promise<string> => {
    const shell = shellIn(cwd, undefined);
    mkdirSync(join(cwd, 'reports', 'conformance'), { recursive: true });
    writeFileSync(join(cwd, 'reports', 'conformance', 'summary.md'), summary);
    const said = join(cwd, 'said');
    writeFileSync(said, '');
    const text = `#!/bin/sh\necho "$*" >> '${said}'\ncase "$*" in *list*|*state=opened*) printf '%s' '${answer}' ;; esac\n`;
    writeFileSync(join(cwd, '.bin', client), text, { mode: 0o755 });
    const env = { GITLAB_TOKEN: 'a-token', CI_API_V4_URL: 'https://gitlab.example/api/v4', CI_PROJECT_ID: '7' };
    const { code, err } = await shell.run(script, env);
    expect(code, err).toBe(0);
    return readFileSync(said, 'utf8');
  };

  test(`${name}: drift opens an issue, and updates the one that is open`, async ({ cwd }) => {
    const summary = markdownSummary(drifted);
    expect(summary).toContain('version was TLSv1.2, is TLSv1.3 \\(seen once\\)');
    expect(await run(cwd, summary, name === 'GitLab' ? '[]' : '')).toMatch(opens);
    const updated = await run(cwd, summary, known);
    expect(updated).toMatch(updates);
    expect(updated).not.toMatch(opens);
  });

  if (name === 'GitLab')
    test(`${name}: no other failure opens an issue`, async ({ cwd }) => {
      expect(await run(cwd, markdownSummary({ ...drifted, verdict: 'incomplete' }), '[]')).toBe('');
    });
}

test('GitHub: no other failure opens an issue', () => {
  expect(byGitHub?.if).toBe("failure() && steps.judge.outputs.verdict == 'drifted'");
});
