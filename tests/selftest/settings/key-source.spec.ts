import { LineCounter, type Node, parseDocument } from 'yaml';
import { type KeySource, readKeySource } from '../../../src/settings/key-source.js';
import { expect, test } from '../support/test.js';

const read = (text: string): { readonly source: KeySource | undefined; readonly problems: readonly string[] } => {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines });
  const problems: string[] = [];
  const at = (node: unknown): string => `keys.yaml:${lines.linePos((node as Node | null)?.range?.[0] ?? 0).line}`;
  return { source: readKeySource(contents, 'ada.keys.apiKey', { at, problems, base: '/identities' }), problems };
};

test.describe('where a key comes from', () => {
  for (const [text, source] of [
    ['{variable: ADA_KEY}', { kind: 'variable', variable: 'ADA_KEY' }],
    ['{file: ada.key}', { kind: 'file', file: '/identities/ada.key' }],
    ['{command: [./token.sh, ada]}', { kind: 'command', command: ['./token.sh', 'ada'], folder: '/identities' }],
    [
      '{flow: clientCredentials, clientId: {variable: ID}, clientSecret: {file: /run/secret}, scope: read write}',
      {
        kind: 'flow',
        flow: 'clientCredentials',
        clientId: { kind: 'variable', variable: 'ID' },
        clientSecret: { kind: 'file', file: '/run/secret' },
        scope: 'read write',
      },
    ],
    [
      '{flow: password, clientId: {variable: ID}, username: {variable: USER}, password: {variable: PASS}}',
      {
        kind: 'flow',
        flow: 'password',
        clientId: { kind: 'variable', variable: 'ID' },
        username: { kind: 'variable', variable: 'USER' },
        password: { kind: 'variable', variable: 'PASS' },
      },
    ],
  ] as const)
    test(`is read from ${text}`, () => {
      expect(read(text)).toEqual({ source: { ...source, position: 'keys.yaml:1' }, problems: [] });
    });

  // "s3cretKey" stands for a key that somebody wrote into the file.
  for (const [text, said] of [
    ['s3cretKey', /^keys\.yaml:1 ada\.keys\.apiKey must be \{variable: NAME\}.*a key stands in no file$/],
    ['{key: s3cretKey}', /must have one of variable, file, command, flow/],
    ['{variable: A, file: b}', /must have one of/],
    ['{variable: A, s3cretKey: b}', /has a member that is not one of variable; a key stands in no file/],
    ['{variable: s3cretKey-1}', /ada\.keys\.apiKey\.variable must be the name of an environment variable/],
    ['{command: token.sh}', /command must be a list of texts, the program first/],
    ['{command: []}', /command must be a list of texts/],
    ['{command: [token.sh, 1]}', /command must be a list of texts/],
    ['{flow: implicit, clientId: {variable: A}}', /flow must be clientCredentials or password/],
    ['{flow: clientCredentials, clientId: {variable: A}}', /needs clientSecret/],
    ['{flow: clientCredentials, clientId: {variable: A}, clientSecret: s3cretKey}', /clientSecret must be \{variable/],
    [
      '{flow: clientCredentials, clientId: {variable: A}, secret: {variable: B}}',
      /has a member that is not one of flow/,
    ],
    [
      '{flow: clientCredentials, clientId: {variable: A}, clientSecret: {variable: B}, username: {variable: C}}',
      /username belongs to flow: password/,
    ],
    ['{flow: password, clientId: {variable: A}, username: {variable: B}}', /needs password/],
  ] as const)
    test(`is refused as ${text}`, () => {
      const { source, problems } = read(text);
      expect(source).toBeUndefined();
      expect(problems.join('\n')).toMatch(said);
      expect(problems.join('\n')).not.toContain('s3cretKey');
      expect(problems.every((problem) => problem.startsWith('keys.yaml:1 '))).toBe(true);
    });
});
