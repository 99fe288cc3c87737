import type { TestServerDefinition } from '../test-server.js';
import { answeringWith, jsonType, withBody } from './raw-responses.js';

/** Well-formed messages with harmful contents. */

const injected = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(2)>',
  '\u001b[2J\u001b[31mPASSED\u001b[0m\u0007',
  '\u001b]0;title\u0007\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
  ']]></failure><testcase name="all good"/>',
  '::error::fake annotation',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of somebody else.
  '`${process.exit(0)}`',
  '| a | table |\n|---|---|\n[link](javascript:alert(3))',
  '\u202egnp.tset\u202c',
].join(' ');

export const contentAttacks: readonly TestServerDefinition[] = [
  answeringWith('broken-compression', 'Says gzip and sends something else.', () =>
    withBody([jsonType, 'Content-Encoding: gzip'], 'this is no gzip'),
  ),
  answeringWith('unknown-coding', 'Uses a content coding that nobody knows.', () =>
    withBody([jsonType, 'Content-Encoding: x-own'], '{}'),
  ),
  answeringWith('invalid-utf-8', 'Its JSON is no UTF-8.', () =>
    withBody(
      [`${jsonType}; charset=utf-8`],
      Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x22, 0xc3, 0x28, 0x22, 0x7d]),
    ),
  ),
  answeringWith('unknown-charset', 'Uses a character set that nobody knows.', () =>
    withBody(['Content-Type: application/json; charset=x-klingon'], '{"a":1}'),
  ),
  answeringWith('deep-json', 'Nests JSON a hundred thousand deep.', () =>
    withBody([jsonType], `${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  ),
  answeringWith('deep-json-objects', 'Nests JSON objects fifty thousand deep.', () =>
    withBody([jsonType], `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`),
  ),
  answeringWith('wide-json', 'Sends an object of two hundred thousand members.', () =>
    withBody(
      [jsonType],
      `{${Array.from({ length: 200_000 }, (_, index) => `"m${index}":"value ${index} of many"`).join(',')}}`,
    ),
  ),
  answeringWith('json-with-traps', 'Its JSON has members that mean something to JavaScript.', () =>
    withBody(
      [jsonType],
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"a":1e999,"a":2,"length":-1}',
    ),
  ),
  answeringWith('deep-html', 'Nests HTML a hundred thousand deep, with attributes without end.', () =>
    withBody(['Content-Type: text/html'], `${'<div class="'.repeat(50_000)}${'<b>'.repeat(50_000)}`),
  ),
  answeringWith('xml-entities', 'Its XML doubles entities, and asks for a file.', () =>
    withBody(
      ['Content-Type: application/xml'],
      `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, index) => `<!ENTITY ${'bcdefghij'[index]} "${`&${'abcdefghi'[index]};`.repeat(10)}">`).join('')}<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&j;&f;</x>`,
    ),
  ),
  answeringWith(
    'report-injection',
    'Puts HTML, XML, Markdown and terminal commands into bodies, fields and cookies.',
    () =>
      withBody(
        [
          jsonType,
          `X-Injected: ${injected.replaceAll('\n', ' ')}`,
          `WWW-Authenticate: Token realm="${injected.replaceAll('\n', ' ').replaceAll('"', "'")}"`,
          `Set-Cookie: <script>=1; Path=/"><b>`,
        ],
        JSON.stringify({ [injected]: injected, detail: injected }),
      ),
  ),
  answeringWith(
    'reason-injection',
    'Puts HTML and terminal commands into its reason phrase.',
    `HTTP/1.1 200 <script>alert(1)</script>\u001b[31m\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  ),
  answeringWith('type-injection', 'Puts HTML into its media type.', () =>
    withBody(['Content-Type: text/<script>alert(1)</script>; charset="\'><b>"'], 'x'),
  ),
];
