import { createKeyRing } from '../../../src/wire/keyring.js';
import { expect, someOfTable, test } from '../support/test.js';

const hexOf = (text: string): string => Buffer.from(text).toString('hex');
const some = someOfTable();

/** Texts that carry other texts: URLs, markup and strings of JSON. */
const carriers: Record<string, (text: string) => string> = {
  URL: encodeURIComponent,
  'URL in a URL': (text) => encodeURIComponent(encodeURIComponent(text)),
  markup: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  JSON: (text) => JSON.stringify(text).replace(/[<>&]/g, (c) => `\\u00${hexOf(c)}`),
  'JSON in a URL': (text) => encodeURIComponent(JSON.stringify(text)),
};
const inside: Record<string, (key: string) => string> = {
  'with tags between': (key) => key.replace(/.{6}(?=.)/g, '$&<wbr>'),
  'with soft hyphens between': (key) => key.replace(/.{3}(?=.)/g, '$&\u00ad'),
  'with a zero-width space between': (key) => [...key].join('\u200b'),
  'in escapes of JSON': (key) => [...key].map((c) => `\\u00${hexOf(c)}`).join(''),
  'in octal escapes': (key) => [...key].map((c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`).join(''),
  'in entities': (key) => [...key].map((c) => `&#${c.charCodeAt(0)};`).join(''),
};
for (const [carrier, carry] of Object.entries(carriers))
  test(`takes out a key in another form that a text of ${carrier} carries`, some(), () => {
    const mine = 'c0ffee5ca1ab1e00decafbad0ddba11facade123';
    const carrying = createKeyRing({ keys: { API_KEY: mine }, seed: 'x' });
    const other = 'f1d2e3b4596a97881234567890bcdef912345678';
    for (const [how, write] of Object.entries(inside)) {
      expect.soft(carrying.redact(`/x?k=${carry(write(mine))}&y=1`), how).toMatch(/<API_KEY|^<withheld/);
      const harmless = `/x?k=${carry(write(other))}&y=1`;
      expect.soft(carrying.redact(harmless), how).toBe(harmless);
    }
  });

test('takes out a key in UTF-16 that was read byte by byte', () => {
  const mine = 'c0ffee5ca1ab1e00decafbad0ddba11facade123';
  const bytes = Buffer.from(mine, 'utf16le').toString('latin1');
  expect(createKeyRing({ keys: { API_KEY: mine }, seed: 'x' }).redact(`k=${bytes}`)).toMatch(/^<withheld/);
});
