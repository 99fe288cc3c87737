import { judgeAt, noAccount } from '../support/key-page.js';
import { type OddPage, startOddPage } from '../support/odd-page.js';
import { expect, inCi, inFull, test } from '../support/test.js';

const action = '<form method="post" action="/key"><button>Generate API key</button></form>';
const heading = '<h1>API key</h1>';
/** A button that shows what the account has, and nothing until it is pressed. */
const onDemand = (text: string): string =>
  `<button type="button" onclick="shown.textContent = '${text}'">Show API key</button> <output id="shown"></output>`;
/** One thing without a key, another with one. */
const either = (none: string, key: (key: string) => string = (text) => `<p>${text}</p>`): OddPage => ({
  page: ({ keys }) => `${heading}${keys[0] === undefined ? none : key(keys[0])}${action}`,
});

/** Pages that say that no key exists, each in its own way, with the outcome of PAGE-3. */
const saying: Record<string, readonly [page: OddPage, outcome: string]> = {
  'Japanese, which has no blanks': [either('<p>まだAPIキーがありません。</p>'), 'passed'],
  'Thai, which the suite does not know': [either('<p>ยังไม่มีคีย์สำหรับบัญชีนี้</p>'), 'inconclusive'],
  'where the key would stand, as code': [
    either('<p>Key: <code>None yet</code></p>', (key) => `<p>Key: <code>${key}</code></p>`),
    'passed',
  ],
  'in the field of the key': [
    either('<input readonly value="No API key yet">', (key) => `<input readonly value="${key}">`),
    'passed',
  ],
  'by a style': [
    {
      page: ({ keys }) =>
        `<style>#key:empty::before { content: "No API key has been created yet" }</style>${heading}<div id="key">${keys[0] ?? ''}</div>${action}`,
    },
    'passed',
  ],
  'in a heading, in a language that nobody knows': [either('<h3>Avainta ei ole vielä luotu</h3>'), 'inconclusive'],
  'in one word of a language that nobody knows': [either('<p>Key: <code>Puuttuu</code></p>'), 'inconclusive'],
  'as a count': [either('<p>API keys: 0</p>', (key) => `<p>API keys: 1</p><p>${key}</p>`), 'inconclusive'],
  'in a list to choose from': [either('<select disabled><option>Ei avaimia</option></select>'), 'inconclusive'],
  'as a picture': [either('<img src="data:," alt="Ei avaimia vielä" width="90" height="20">'), 'inconclusive'],
  'as a picture without a text': [either('<img src="data:," width="90" height="20">'), 'inconclusive'],
  'as a picture without a text, above another thing that there is none of': [
    either(
      '<img src="data:," width="90" height="20"><p>You have no webhooks yet.</p>',
      (key) => `<p>${key}</p><p>You have no webhooks yet.</p>`,
    ),
    'inconclusive',
  ],
  'as a picture with a name': [
    either('<div role="img" aria-label="You have no API key yet." style="width: 90px; height: 20px"></div>'),
    'inconclusive',
  ],
  'in two words, which stand there for something else too': [
    {
      page: ({ keys }) =>
        `${heading}<p>${keys[0] ?? 'None yet.'}</p><h2>Webhooks</h2><p>None yet.</p><h2>API</h2>${action}`,
    },
    'passed',
  ],
  'of another thing, in the place of the key': [either('<p>You have not created a workout yet.</p>'), 'inconclusive'],
  'in the name of the action': [
    {
      page: ({ keys }) =>
        `${heading}<p>${keys[0] ?? ''}</p>${action.replace('Generate', keys[0] ? 'Generate' : 'No API key yet: generate')}`,
    },
    'inconclusive',
  ],
  'before a sentence about the need of a key': [
    either('<p>No API key has been created yet. Need one for scripts? Generate it here.</p>'),
    'passed',
  ],
  'beside a tip that goes away too': [
    either('<p>You have no API key yet.</p><p>Did you know? Exercises are public.</p>'),
    'passed',
  ],
  'as before, beside a tip that goes away': [
    either(
      '<p>No API key yet.</p><p>Welcome to the API, newcomer!</p>',
      (key) => `<p>No API key yet.</p><p>${key}</p>`,
    ),
    'inconclusive',
  ],
  'in no words, but with a tip in the place of the key': [
    { page: (state) => `<html lang="en">${either('<p>Did you know? Exercises are public.</p>').page(state)}` },
    'inconclusive',
  ],
  'in a language that nobody knows, far from the key': [
    {
      page: ({ keys }) =>
        `${heading}<p>${keys[0] ?? '–'}</p>${action}<h2>Muuta</h2>${keys[0] ? '' : '<p>Avainta ei ole vielä luotu.</p>'}<p>Loppu</p>`,
    },
    'inconclusive',
  ],
  'for a moment': [
    either(
      '<div id="toast"></div><script>setTimeout(() => { toast.textContent = "No API key exists yet."; setTimeout(() => toast.remove(), 150); }, 50)</script>',
    ),
    'inconclusive',
  ],
  'for a longer moment in one view than in another': [
    {
      page: ({ keys, requests }) => {
        const isFirst = requests.filter(({ path }) => path === '/key').length === 1;
        const toast = `<div id="toast"></div><script>setTimeout(() => { toast.textContent = "No API key exists yet."; ${isFirst ? '' : 'setTimeout(() => toast.remove(), 150);'} }, 50)</script>`;
        return `${heading}${keys[0] ?? toast}${action}`;
      },
    },
    'inconclusive',
  ],
  'after a text that looks like a key, while the page loads': [
    {
      page: ({ keys }) =>
        `${heading}<code id="place">3f9c2a71d04be86519c7a2f0b3d84e6a15f7c920</code>${action}<script>setTimeout(() => { place.textContent = '${keys[0] ?? 'No API key exists yet.'}' }, 600)</script>`,
    },
    'passed',
  ],
  'where it is pointed at': [either('<p title="No API key exists yet.">?</p>'), 'inconclusive'],
  'late, beside a key too': [
    {
      page: ({ keys }) =>
        `${heading}<p>${keys[0] ?? ''}</p>${action}<p id="late"></p><script>setTimeout(() => { late.textContent = 'No API key exists yet.' }, 700)</script>`,
    },
    'failed',
  ],
  'to whom asks for the key': [either(onDemand('No API key has been created yet.'), onDemand), 'passed'],
  'where nothing unfolds it': [either('<p style="display:none">Avainta ei ole vielä luotu.</p>'), 'inconclusive'],
  'on a page that first says so to everybody': [
    {
      page: ({ keys }) =>
        `${heading}<div id="place"></div>${action}<script>place.textContent = 'No API key exists yet.'; ${keys[0] === undefined ? '' : `setTimeout(() => { place.textContent = '${keys[0]}' }, 30)`}</script>`,
    },
    'passed',
  ],
};

/** Pages that change in many ways when a key is made, and say at no time that there is none. */
const silent: Record<string, OddPage> = {
  'a label before the key': either('<p>Your current API key: </p>', (key) => `<p>Your current API key: ${key}</p>`),
  'a placeholder in an example': {
    page: ({ keys }) =>
      `${heading}<p>${keys[0] ?? ''}</p>${action}<pre>{"Authorization": "Token ${keys[0] ?? '1234567890abcde...'}"}</pre>`,
  },
  'a button that shows nothing': either(onDemand(''), onDemand),
  'a dash': either('<p>Key: –</p>', (key) => `<p>Key: ${key}</p>`),
  'another name of the action': {
    page: ({ keys }) =>
      `${heading}<p>${keys[0] ?? ''}</p>${keys[0] ? action.replace('Generate', 'Regenerate') : action}`,
  },
  'questions and answers that are folded away': {
    page: ({ keys }) =>
      `${heading}<p>${keys[0] ?? ''}</p>${action}<details><summary>What is a key for?</summary><p>It opens the interface for programs.</p></details>`,
  },
};

for (const [title, [page, outcome]] of Object.entries(saying)) {
  test(`a message is found, or asked for: ${title}`, inFull, async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      // What is found ends the wait, so patience costs nothing there.
      const patienceMs = outcome === 'passed' ? 5_000 : 1_000;
      const judged = await judgeAt(odd, chromium, noAccount, { patienceMs });
      expect(judged.outcomes, judged.everything).toMatchObject({
        'makes-a-key': 'passed',
        'shows-the-current-key': 'passed',
        'says-when-there-is-none': outcome,
      });
      if (outcome === 'inconclusive') expect(judged.everything).toContain('KEY_PAGE_EMPTY_TEXT');
    } finally {
      await odd.close();
    }
  });
}

for (const [title, page] of Object.entries(silent)) {
  test(`a page that says nothing when there is no key fails: ${title}`, inFull, async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 1_000 });
      expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('failed');
    } finally {
      await odd.close();
    }
  });
}

/** What a page says where the key comes later, by a script that asks for nothing. */
const beforeTheKey: Record<string, readonly [text: string, outcome: string]> = {
  'in the place of the key': ['', 'inconclusive'],
  'beside it': ['<p>You have no API key yet.</p>', 'failed'],
};

for (const [title, [stays, outcome]] of Object.entries(beforeTheKey))
  test(
    `a message that a page with a key shows until it draws it is judged by what stays: ${title}`,
    inCi,
    async ({ chromium }) => {
      const message = '<p id="shown">You have no API key yet.</p>';
      const late = (key: string): string =>
        `${message}${stays}<script>setTimeout(() => { shown.textContent = '${key}'; }, 1_500)</script>`;
      const odd = await startOddPage(either(message, late));
      try {
        const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 5_000 });
        expect(judged.outcomes, judged.everything).toMatchObject({
          'makes-a-key': 'passed',
          'shows-the-current-key': 'passed',
          'says-when-there-is-none': outcome,
        });
      } finally {
        await odd.close();
      }
    },
  );
