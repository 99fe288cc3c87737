import type { Secrets } from '../../../src/keypage/gateway/secrets.js';
import { tryLoneWords } from '../../../src/keypage/key/lone-words.js';
import { noneTried } from '../../../src/keypage/key/shown-key.js';
import type { Piece } from '../../../src/keypage/reading/read-page.js';
import { expect, test } from '../support/test.js';

const view = (...texts: string[]): Piece[] =>
  texts.map((text) => ({ text, role: 'text', visible: true, aside: false }));

test('a word that came or went is tried, since it may be a key of any form', async () => {
  const asked: string[] = [];
  const secrets = {
    holdsPassword: () => false,
    opens: async (key: string) => {
      asked.push(key);
      return key === 'horse-lantern-copper' ? 'granted' : 'refused';
    },
  } as unknown as Secrets;
  const before = view('API key', 'evening-harbour', 'Overview', 'You have a key.');
  const copied = { ...view('Duplicate')[0], role: 'control' } as Piece;
  const after = [
    ...view('Overview', 'ID: f3a9c1d07e5b48a2', 'Since: 2026-11-28', 'A key was made.', 'Key: horse-lantern-copper'),
    ...view('curl https://example.com/api/', '/user/api-key', 'the-key-of-the-run'),
    copied,
  ];
  const given = {
    setting: 'API_KEY',
    is: (text: string) => text === 'the-key-of-the-run',
    opens: async () => 'granted' as const,
  };
  const refused = [{ value: 'f3a9c1d07e5b48a2', visible: true, score: 9 }];
  const tried = await tryLoneWords(before, after, { ...noneTried, refused }, { secrets, given });
  expect(tried.key?.value).toBe('horse-lantern-copper');
  await tryLoneWords(after, before, { ...noneTried, refused }, { secrets, given });
  expect(asked).toEqual(['horse-lantern-copper', 'evening-harbour', 'horse-lantern-copper']);
});
