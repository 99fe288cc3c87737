import type { PageFaultName, PageVariantName } from '../../../src/reference/pages/pages.js';
import { type Judged, judgeAt, password, startWithPages } from '../support/key-page.js';
import { startOddPage } from '../support/odd-page.js';
import { expect, inFull, test } from '../support/test.js';

const ada = { username: 'ada', generate: false, withoutKey: { username: 'bo', password } };

const judgedWith = async (
  browser: Parameters<typeof judgeAt>[1],
  options: { variant?: PageVariantName; fault?: PageFaultName },
  settings: Parameters<typeof judgeAt>[2] = ada,
): Promise<Judged> => {
  const service = await startWithPages(options);
  try {
    return await judgeAt(service, browser, settings);
  } finally {
    await service.close();
  }
};

const message = (judged: Judged) => judged.findings.find(({ rule }) => rule === 'says-when-there-is-none');

for (const [title, options, outcome] of [
  ['one that says so', {}, 'passed'],
  ['one that says so in German', { variant: 'german' }, 'passed'],
  ['one that says so behind a tab', { variant: 'tabs' }, 'passed'],
  ['one that says nothing', { fault: 'no-message' }, 'failed'],
  ['one that says it to everybody', { fault: 'message-beside-key' }, 'failed'],
] as const)
  test(`the page of a second account shows whether there is a message: ${title}`, inFull, async ({ chromium }) => {
    const judged = await judgedWith(chromium, options);
    expect(message(judged)?.outcome, judged.everything).toBe(outcome);
    expect(judged.outcomes['shows-the-current-key']).toBe('passed');
  });

test(
  'with the account of the first run, every later one can be judged, and the second account never gets a key',
  // CI runs the command with both accounts, in run.spec.ts.
  inFull,
  async ({ chromium }) => {
    const service = await startWithPages();
    try {
      const settings = { username: 'ada', withoutKey: { username: 'bo', password } };
      for (const _run of ['first', 'second']) {
        const judged = await judgeAt(service, chromium, settings);
        expect(judged.outcomes, judged.everything).toMatchObject({
          'makes-a-key': 'passed',
          'shows-the-current-key': 'passed',
          'says-when-there-is-none': 'passed',
        });
        for (const secret of judged.secrets) expect(judged.everything).not.toContain(secret);
      }
    } finally {
      await service.close();
    }
  },
);

test('what is wrong with the second account is told by its own settings', inFull, async ({ chromium }) => {
  const reasons: (readonly [withoutKey: { username?: string; password?: string }, reason: string])[] = [
    [{ username: 'bo' }, 'WEB_PASSWORD_WITHOUT_KEY'],
    [{ username: 'ada', password }, 'names the account of WEB_USERNAME'],
    [{ username: 'bo', password: 'not-the-right-one' }, 'Check WEB_USERNAME_WITHOUT_KEY'],
  ];
  for (const [withoutKey, reason] of reasons) {
    const judged = await judgedWith(chromium, {}, { username: 'ada', generate: false, withoutKey });
    expect(message(judged)?.outcome).toBe('inconclusive');
    expect(message(judged)?.reason).toContain(reason);
    expect(judged.everything).not.toContain('not-the-right-one');
  }
  const both = await judgedWith(
    chromium,
    {},
    { username: 'bo', generate: false, withoutKey: { username: 'ada', password } },
  );
  expect(message(both)?.outcome, both.everything).toBe('passed');
});

/**
 * A page for two accounts in a language that nobody here knows. The accounts' names stand on it.
 */
const finnish = (none: string, greeting: string) =>
  startOddPage({
    page: () => '',
    handle: (request, response, state, body) => {
      if (request.url !== '/key' && request.url !== '/log-in') return false;
      if (request.method === 'POST') {
        const name = new URLSearchParams(body).get('u') ?? '';
        response.writeHead(303, { location: '/key', 'set-cookie': `user=${name}; Secure` }).end();
        return true;
      }
      const user = /user=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
      const key = user === 'ada' ? state.keys[0] : undefined;
      response
        .writeHead(user === undefined ? 401 : 200, { 'content-type': 'text/html; charset=utf-8' })
        .end(
          user === undefined
            ? '<form method="post" action="/log-in"><label>Käyttäjä <input name="u"></label><label>Salasana <input type="password" name="p"></label><button>Next</button></form>'
            : `<p>${greeting.replace('*', user === 'ada' ? 'Ada Esimerkki' : 'Bo Malli')}</p><p>Tunnus: ${user}</p><h1>Avain rajapintaan</h1><p>${key ?? none}</p><button>Luo avain</button>`,
        );
      return true;
    },
  });

for (const [title, none, greeting, outcome] of [
  ['a message where the key stands', 'Sinulla ei ole vielä avainta.', 'Tervetuloa takaisin.', 'inconclusive'],
  ['a message, and names of people', 'Sinulla ei ole vielä avainta.', 'Tervetuloa takaisin, *', 'inconclusive'],
  ['no message', '', 'Tervetuloa takaisin.', 'failed'],
  ['no message, but names of people', '', 'Tervetuloa takaisin, *', 'inconclusive'],
] as const)
  test(`two accounts are compared in a language that nobody knows: ${title}`, inFull, async ({ chromium }) => {
    const odd = await finnish(none, greeting);
    odd.state.keys.push('f3a9c1d07e5b48a2960fd1c3b7e8245a6d90f1be');
    try {
      const judged = await judgeAt(odd, chromium, ada);
      expect(message(judged)?.outcome, judged.everything).toBe(outcome);
    } finally {
      await odd.close();
    }
  });
