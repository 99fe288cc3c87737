import { deflateSync, gzipSync } from 'node:zlib';
import { KeyRing } from '../../../src/wire/keyring.js';
import { withheldText } from '../../../src/wire/redaction.js';
import { expect, inFull, tableOfSecrets, test } from '../support/test.js';

const hexOf = (text: string): string => Buffer.from(text).toString('hex');
const some = tableOfSecrets();

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
    const carrying = new KeyRing({ keys: { API_KEY: mine }, seed: 'x' });
    const other = 'f1d2e3b4596a97881234567890bcdef912345678';
    for (const [how, write] of Object.entries(inside)) {
      expect.soft(carrying.redact(`/x?k=${carry(write(mine))}&y=1`), how).toMatch(/<API_KEY|^<withheld/);
      const harmless = `/x?k=${carry(write(other))}&y=1`;
      expect.soft(carrying.redact(harmless), how).toBe(harmless);
    }
  });

test('takes out a key in UTF-16 that was read byte by byte', () => {
  const mine = 'c0ffee5ca1ab1e00decafbad0ddba11facade123';
  const ring = new KeyRing({ keys: { API_KEY: mine }, seed: 'x' });
  for (const text of [mine, [...mine].map((c) => `\\u00${hexOf(c)}`).join('')])
    expect.soft(ring.redact(`k=${Buffer.from(text, 'utf16le').toString('latin1')}`)).toMatch(/^<withheld/);
});

test('takes out a short key in a list of bytes', () => {
  const ring = new KeyRing({ keys: { API_KEY: 'workout' }, seed: 'x' });
  for (const base of [2, 8]) {
    const list = (text: string): string => [...Buffer.from(text)].map((byte) => byte.toString(base)).join(' ');
    expect.soft(ring.redact(list('workout'))).toBe(withheldText);
    expect.soft(ring.redact(list('working'))).toBe(list('working'));
  }
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');
const fullWidth = (text: string): string =>
  text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));
const bytesOf = (text: string): readonly string[] => hexOf(text).match(/../g) ?? [];

/** Encodings of other forms than the plain key. */
const twice: Record<string, (key: string) => string> = {
  'hex in base64': (key) => base64(hexOf(key)),
  'hex in hex': (key) => hexOf(hexOf(key)),
  'percent in base64url': (key) => Buffer.from(hexOf(key).replace(/../g, '%$&')).toString('base64url'),
  'base64 three times': (key) => base64(base64(base64(key))),
  'base64 in the bytes of a list': (key) => `[${[...Buffer.from(base64(key))].join(' ')}]`,
  'base64 in hex bytes': (key) => bytesOf(base64(key)).join(':'),
  'base64 in the escaped bytes of C': (key) =>
    bytesOf(base64(key))
      .map((byte) => `0x${byte}`)
      .join(', '),
  'base64 in lines': (key) => base64(`{"of":"nobody","sent":"Token ${hexOf(key)}"}`).replace(/.{16}/g, '$&\r\n'),
  'entities in base64': (key) => base64([...key].map((c) => `&#${c.charCodeAt(0)};`).join('')),
  'characters that are not seen, in base64': (key) => base64([...key].join('\u200b')),
  'base64 with a soft hyphen in it': (key) => base64(hexOf(key)).replace(/.{5}/g, '$&\u00ad'),
  'UTF-16 in base64': (key) => wide(key).toString('base64'),
  'UTF-16 with a mark of its order in base64': (key) => wide(`\ufeffto ${key}`).toString('base64'),
  'UTF-16 of the other order in base64': (key) => wide(key).swap16().toString('base64'),
  'UTF-16 in hex': (key) => wide(key).toString('hex'),
  'UTF-16 of the key in capitals': (key) => wide(key.toUpperCase()).toString('base64'),
  'gzip in base64': (key) => gzipSync(key).toString('base64'),
  'gzip in base64 that is cut': (key) => gzipSync(`Token ${key}`).subarray(0, -9).toString('base64'),
  'gzip with a wrong checksum': (key) => {
    const packed = gzipSync(key);
    return packed.fill(0, packed.length - 8).toString('hex');
  },
  'gzip with the name of a file': (key) => {
    const packed = gzipSync(key);
    packed[3] = 8;
    return Buffer.concat([packed.subarray(0, 10), Buffer.from('a.txt\0'), packed.subarray(10)]).toString('base64');
  },
  'gzip in a path': (key) => `/files/of/${gzipSync(key).toString('base64url')}/raw`,
  'zlib in a path': (key) => `/files/of/${deflateSync(`Token ${key}`).toString('base64url')}/raw`,
  'zlib in hex': (key) => deflateSync(`Token ${key}`).toString('hex'),
  'bytes that are no text around it, in base64': (key) => btoa(`\x93\xa6\xff\x00${hexOf(key)}\xfe\x81`),
  'percent-encoded twice, without its percent signs': (key) =>
    bytesOf(key)
      .map((byte) => `25${byte}`)
      .join(''),
  'percent-encoded three times, without its percent signs': (key) =>
    bytesOf(key)
      .map((byte) => `2525${byte}`)
      .join(''),
  'base64 in base64 behind a letter': (key) => `x${base64(`ab${base64(`c${key.toUpperCase()}`)}`)}`,
  'the payload of a token': (key) => `e30.${Buffer.from(JSON.stringify({ t: hexOf(key) })).toString('base64url')}.c2ln`,
  'base64 of hex in short words': (key) => (base64(hexOf(key)).match(/.{1,8}/g) ?? []).join(' '),
  'base64 of hex with tags between': (key) => (base64(hexOf(key)).match(/.{1,8}/g) ?? []).join('<br class="thin">'),
  'base64 of hex in a list': (key) => (base64(hexOf(key)).match(/.{1,5}/g) ?? []).join("', '"),
  'hex of hex in groups': (key) => (hexOf(hexOf(key)).match(/.{4}/g) ?? []).join(' · '),
  'characters of SQL': (key) => [...Buffer.from(key)].map((byte) => `CHAR(${byte})`).join('+'),
  'octal bytes': (key) => [...Buffer.from(key)].map((byte) => byte.toString(8).padStart(3, '0')).join(' '),
  'binary bytes': (key) => [...Buffer.from(key)].map((byte) => byte.toString(2).padStart(8, '0')).join(' '),
  'mathematical letters and digits': (key) =>
    key
      .replace(/[a-z]/g, (c) => String.fromCodePoint(0x1d41a + c.charCodeAt(0) - 97))
      .replace(/[A-Z]/g, (c) => String.fromCodePoint(0x1d400 + c.charCodeAt(0) - 65))
      .replace(/\d/g, (c) => String.fromCodePoint(0x1d7ce + Number(c))),
  'raised digits': (key) => key.replace(/\d/g, (c) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(c))),
  'escapes of CSS': (key) => [...key].map((c) => `\\${hexOf(c)} `).join(''),
  'escapes of CSS with four digits': (key) =>
    [...fullWidth(key)].map((c) => `\\${c.charCodeAt(0).toString(16)} `).join(''),
  'full-width characters, in base64 in words': (key) => base64(fullWidth(key)).replace(/.{4}/g, '$& '),
  'gzip in base64 in base64 in lines': (key) => base64(gzipSync(key).toString('base64')).replace(/.{20}/g, '$&\r\n'),
  'sections of CDATA': (key) => key.replace(/.{6}/g, '<![CDATA[$&]]>'),
};
for (const [how, write] of Object.entries(twice))
  test(`withholds a text with a key as ${how}`, some(), () => {
    for (const [mine, other] of [
      ['c0ffee5ca1ab1e00decafbad0ddba11facade123', 'f1d2e3b4596a97881234567890bcdef912345678'],
      ['3f2a9c1e-77d4-4b0a-9e55-c0ffee12ab34', 'b81d04f7-5a6e-4d29-8c03-91d7e2f6a5b8'],
      ['sk_live_51HxQZpLm9fTr7WkBv2Ye8', 'pk_test_47GaRWnKj3sVu8XcMd6Eh5'],
    ] as const) {
      const ring = new KeyRing({ keys: { API_KEY: mine }, seed: 'x' });
      for (const sent of [mine, ring.fill('<API_KEY:one-changed>')]) {
        expect.soft(ring.redact(`{"sent": "${write(sent)}"}`), sent).toBe(withheldText);
        expect.soft(ring.redact(`{"sent": ${JSON.stringify(`a ${write(sent)} b`)}}`), sent).toBe(withheldText);
      }
      const harmless = `{"sent": "${write(other)}"}`;
      expect.soft(ring.redact(harmless)).toBe(harmless);
    }
  });

test('reads what is encoded in linear time', inFull, () => {
  const ring = new KeyRing({ keys: { API_KEY: 'c0ffee5ca1ab1e00decafbad0ddba11facade123' } });
  const bomb = (text: string): string => gzipSync(text).toString('base64');
  const slow = {
    'compressed bombs': `${bomb(bomb(' '.repeat(60_000)).repeat(400))} `.repeat(4_000),
    'one word': 'aB3'.repeat(700_000),
    'one word of base32': 'ABC'.repeat(300_000),
    'headers of gzip': Buffer.from('1f8b0800'.repeat(400_000), 'hex').toString('base64'),
    'lists of bytes': '63 30, '.repeat(300_000),
    'nested base64': base64(base64(base64(base64('not a key '.repeat(60_000))))),
    'escapes of escapes': '%2525255c'.repeat(200_000),
  };
  for (const [what, text] of Object.entries(slow)) {
    const started = process.cpuUsage().user;
    expect.soft(ring.redact(text), what).toBe(text);
    expect.soft((process.cpuUsage().user - started) / text.length, what).toBeLessThan(3);
  }
});
