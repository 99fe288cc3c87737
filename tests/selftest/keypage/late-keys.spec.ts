import { judgeAt, noAccount } from '../support/key-page.js';
import { type OddPage, type OddState, startOddPage } from '../support/odd-page.js';
import { expect, inCi, inFull, test } from '../support/test.js';

const shows = (keys: readonly string[], none = '<p>You have no key yet.</p>'): string =>
  `<h1>API key</h1>${keys.length > 0 ? `<code>${keys.at(-1)}</code>` : none}<form method="post" action="/key"><button>Generate API key</button></form>`;

const digits = (): string => crypto.randomUUID().replaceAll('-', '');

/** A text that a script writes a while after the page has become quiet. */
const later = (text: string, ms = 500): string =>
  `<p id="late">…</p><script>setTimeout(() => { document.querySelector('#late').textContent = ${JSON.stringify(text)}; }, ${ms})</script>`;

/** The key that the page shows, after the press, which the API learns only some requests later. */
const unknownAtFirst = (requests: number): OddPage => {
  let made: string | undefined;
  let asked = 0;
  return {
    page: () => shows(made === undefined ? [] : [made]),
    make: () => {
      made = digits();
    },
    handle: ({ headers: { authorization } }, _response, { keys }) => {
      if (made !== undefined && authorization === `Token ${made}`) asked += 1;
      if (made !== undefined && asked > requests && keys.length === 0) keys.push(made);
      return false;
    },
  };
};

/** The key is made by a job, when the page has been asked for some times after the press. */
const madeByJob = (views: number): OddPage => {
  const viewsSincePress = ({ requests }: OddState): number => {
    const press = requests.findIndex(({ method }) => method === 'POST');
    return press < 0
      ? 0
      : requests.slice(press).filter(({ method, path }) => method === 'GET' && path === '/key').length;
  };
  return {
    page: (state) => {
      if (state.keys.length === 0 && viewsSincePress(state) > views) state.keys.push(digits());
      return shows(state.keys);
    },
    make: () => {},
  };
};

const conforming: Record<string, OddPage & { readonly when?: typeof inCi }> = {
  'the message comes after the action': {
    page: ({ keys }) => shows(keys, later('You have no key at the moment.')),
  },
  'the API learns of the key some time after the page': unknownAtFirst(3),
  'the key is made by a job, some time after the answer': { ...madeByJob(3), when: inCi },
};

for (const [title, { when = inFull, ...page }] of Object.entries(conforming)) {
  test(`a page that takes its time passes: ${title}`, when, async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      const judged = await judgeAt(odd, chromium, noAccount);
      expect(
        judged.findings.slice(0, 3).map(({ outcome }) => outcome),
        judged.everything,
      ).toEqual(['passed', 'passed', 'passed']);
      expect(odd.state.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    } finally {
      await odd.close();
    }
  });
}

test(
  'a message that comes after the action, in a language nobody here knows, is asked for',
  inFull,
  async ({ chromium }) => {
    const odd = await startOddPage({
      page: ({ keys }) => shows(keys, later('Nincs még kulcsod ehhez a fiókhoz.')),
    });
    try {
      const judged = await judgeAt(odd, chromium, noAccount);
      expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('inconclusive');
      expect(judged.everything).toContain('“Nincs még kulcsod ehhez a fiókhoz.”');
    } finally {
      await odd.close();
    }
  },
);

test('a text that is late in every view is not taken for the message', inFull, async ({ chromium }) => {
  const odd = await startOddPage({
    page: ({ keys }) => `${shows(keys, '')}${later('Read all about keys in our documentation.', 700)}`,
  });
  try {
    const judged = await judgeAt(odd, chromium, noAccount);
    expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('failed');
  } finally {
    await odd.close();
  }
});

test('a key that the API never learns of fails', inFull, async ({ chromium }) => {
  const odd = await startOddPage(unknownAtFirst(Number.POSITIVE_INFINITY));
  try {
    const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 600, lateMs: 1_500 });
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('failed');
  } finally {
    await odd.close();
  }
});

test('an action that is disabled is named, and nobody is accused', inCi, async ({ chromium }) => {
  const odd = await startOddPage({ page: ({ keys }) => shows(keys).replace('<button>', '<button disabled>') });
  try {
    const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 600 });
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
    expect(judged.everything).toContain('it is disabled');
  } finally {
    await odd.close();
  }
});

test('a password that the page shows is not tried as a key', inFull, async ({ chromium }) => {
  const password = 'Xk3mPq9vR2sT8wL5zN4b';
  const odd = await startOddPage({
    page: ({ keys }) =>
      `${shows(keys)}<p>Your key: ${password}</p><p>Token ${Buffer.from(password).toString('base64')}</p>`,
  });
  try {
    const judged = await judgeAt(odd, chromium, { username: 'bo', password });
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
    expect([...new Set(judged.asked)]).toEqual(odd.state.keys);
    expect(judged.everything).not.toContain(password);
  } finally {
    await odd.close();
  }
});

test('a key that a new log-in ends is not called one that opens', inFull, async ({ chromium }) => {
  let looks = 0;
  const odd = await startOddPage({
    page: ({ keys }) => shows(keys),
    handle: ({ url, headers }, response) => {
      if (url !== '/api/v2/workout/' || !headers.authorization?.startsWith('Token ')) return false;
      const known = odd.state.keys.some((key) => headers.authorization === `Token ${key}`);
      if (known) looks += 1;
      if (!known || looks < 2) return false;
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
      return true;
    },
  });
  try {
    const judged = await judgeAt(odd, chromium, noAccount);
    expect(judged.outcomes, judged.everything).toMatchObject({
      'makes-a-key': 'passed',
      'shows-the-current-key': 'inconclusive',
    });
  } finally {
    await odd.close();
  }
});

const action = '<form method="post" action="/key"><button>Generate API key</button></form>';
/** What a new log-in finds at the address of the key page, with the outcome of PAGE-2. */
const inItsPlace = {
  'another page, which says nothing of the key': ['<h1>We will be right back</h1><p>Please wait.</p>', 'inconclusive'],
  'the page with its action, without the key': [`<h1>API key</h1><p>You have a key.</p>${action}`, 'failed'],
} as const;

for (const [title, [there, shows]] of Object.entries(inItsPlace))
  test(`a new log-in finds ${title}`, inCi, async ({ chromium }) => {
    const odd = await startOddPage({
      page: ({ keys }) =>
        `<h1>API key</h1><p>${keys[0] ?? 'No API key exists yet.'}</p>${action}<script>document.cookie = 'known=1'</script>`,
      handle: ({ method, url, headers }, response, { keys }) => {
        if (method !== 'GET' || url !== '/key' || keys.length === 0 || headers.cookie !== undefined) return false;
        response.writeHead(200, { 'content-type': 'text/html' }).end(there);
        return true;
      },
    });
    try {
      const judged = await judgeAt(odd, chromium, noAccount);
      expect(judged.outcomes, judged.everything).toMatchObject({
        'makes-a-key': 'passed',
        'shows-the-current-key': shows,
      });
    } finally {
      await odd.close();
    }
  });
