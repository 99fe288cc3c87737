import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { asset } from '../../../src/package.js';
import { readIdentities } from '../../../src/settings/identities.js';
import { readIdentitiesFile } from '../../../src/settings/identities-file.js';
import { readSettings } from '../../../src/settings/settings.js';
import { readTarget } from '../../../src/settings/target.js';
import { expect, test } from '../support/test.js';

const write = (folder: string, text: string, others: Readonly<Record<string, string>> = {}): string => {
  for (const [name, content] of Object.entries({ 'identities.yaml': text, ...others }))
    writeFileSync(join(folder, name), content);
  return join(folder, 'identities.yaml');
};

const two = `identities:
  - name: member
    keys: { apiKey: { variable: MEMBER_KEY } }
    scopes: [read:workouts]
    peers: [other-member]
    owns: 17
  - name: other-member
    keys: { apiKey: { file: other.key } }
`;

test.describe('the file of IDENTITIES', () => {
  test('names holders of keys, and who is whose peer, whichever says so', ({ cwd }) => {
    const { identities, problems } = readIdentitiesFile(write(cwd, two), 'identities.yaml');
    expect(problems).toEqual([]);
    expect(identities.map(({ keys: _keys, ...rest }) => rest)).toEqual([
      {
        name: 'member',
        scopes: ['read:workouts'],
        peers: ['other-member'],
        owns: '17',
        position: 'identities.yaml:2:5',
      },
      { name: 'other-member', peers: ['member'], position: 'identities.yaml:7:5' },
    ]);
  });

  for (const [text, said] of [
    ['{}', /^i\.yaml:1:1 the file must hold "identities": a list/],
    ['- s3cretKey', /^i\.yaml:1:3 an identity is \{name, keys, scopes, peers, owns\}$/],
    ['- {nmae: a, name: a}', /^i\.yaml:1:4 an identity has no member "nmae"; did you mean name\?$/],
    [
      '- {name: a, s3cretKey: b}',
      /^i\.yaml:1:13 an identity has a member that is not one of .*a key stands in no file$/,
    ],
    ['- {name: nobody}', /^i\.yaml:1:10 "nobody" asks in every run already; give the identity another name$/],
    ['- {name: invalid key}', /"invalid key" asks in every run already/],
    ['- {name: "a b"}', /^i\.yaml:1:10 an identity needs a name of letters/],
    ['- {scopes: [a]}', /^i\.yaml:1:3 an identity needs a name/],
    [
      '- {name: a, keys: s3cretKey}',
      /^i\.yaml:1:19 a\.keys must be security scheme to key: .*a key stands in no file$/,
    ],
    [
      '- {name: a, keys: {apiKey: s3cretKey}}',
      /^i\.yaml:1:28 a\.keys\.apiKey must be \{variable.*a key stands in no file$/,
    ],
    [
      '- {name: a, keys: {apiKey: {value: s3cretKey}}}',
      /a\.keys\.apiKey must have one of variable, file, command, flow/,
    ],
    ['- {name: a, scopes: read}', /^i\.yaml:1:21 a\.scopes must be a list of texts$/],
    ['- {name: a, owns: [1]}', /a\.owns must be the text or number by which rows name their owner/],
    ['- {name: a}\n- {name: b}', /^i\.yaml:2:3 "b" has no keys, and neither has "a" \(i\.yaml:1:3\)/],
    ['- {name: a-b}\n- {name: a_b, keys: {k: {variable: K}}}', /"a_b" is called like "a-b"/],
    ['- {name: a, peers: [a]}', /"a" is its own peer/],
    [
      '- {name: a, peers: [membr]}\n- {name: member, keys: {k: {variable: K}}}',
      /no identity is called "membr"; did you mean member\?$/,
    ],
    ['- {name: a\n s3cretKey: ]', /cannot be read as YAML or JSON\. The slip may be in a line before\. [^K]*$/],
  ] as const)
    test(`says what is wrong with ${JSON.stringify(text)}`, ({ cwd }) => {
      const { problems } = readIdentitiesFile(write(cwd, text), 'i.yaml');
      expect(problems.join('\n')).toMatch(new RegExp(said.source, `${said.flags}m`));
      expect(problems.join('\n')).not.toContain('s3cretKey');
    });
});

test.describe('keys of identities', () => {
  const reading = { shown: 'i.yaml', variables: { MEMBER_KEY: 'member-key-1', API_KEY_ADMIN: 'admin-key-1' } };

  test('the first one is the holder where API_KEY was not given', ({ cwd }) => {
    const read = readIdentities(write(cwd, two, { 'other.key': 'other-key-1\n' }), { ...reading, main: {} });
    expect(read.problems).toEqual([]);
    expect(read.main).toEqual({ API_KEY_API_KEY: 'member-key-1' });
    expect(read.keys).toEqual({ API_KEY_OF_OTHER_MEMBER: 'other-key-1' });
    expect(read.identities.map(({ name, keys }) => [name, keys])).toEqual([
      ['member', undefined],
      ['other-member', { apiKey: 'API_KEY_OF_OTHER_MEMBER' }],
    ]);
  });

  test('the one that has the key of API_KEY is its holder', ({ cwd }) => {
    const main = { API_KEY: 'other-key-1' };
    const read = readIdentities(write(cwd, two, { 'other.key': 'other-key-1\n' }), { ...reading, main });
    expect(read.problems).toEqual([]);
    expect(read.main).toEqual({});
    expect(read.keys).toEqual({ API_KEY_OF_MEMBER: 'member-key-1' });
    expect(read.identities.map(({ name, keys }) => [name, keys])).toEqual([
      ['member', { apiKey: 'API_KEY_OF_MEMBER' }],
      ['other-member', undefined],
    ]);
  });

  test('a variable that is named like a setting names the key in printed commands', ({ cwd }) => {
    const text = '- name: me\n- { name: admin, keys: { apiKey: { variable: API_KEY_ADMIN } } }';
    const read = readIdentities(write(cwd, text), { ...reading, main: { API_KEY: 'key-of-me' } });
    expect(read.identities[1]?.keys).toEqual({ apiKey: 'API_KEY_ADMIN' });
  });

  test('printed commands are told where each key is, and nothing of a program but its place', ({ cwd }) => {
    const text = `- { name: me, keys: { apiKey: { variable: MEMBER_KEY } } }
- { name: other, keys: { apiKey: { file: other.key } } }
- name: robot
  keys: { apiKey: { command: [./token.sh, s3cret] } }
- name: service
  keys: { apiKey: { flow: clientCredentials, clientId: { variable: MEMBER_KEY }, clientSecret: { file: other.key } } }
`;
    const path = write(cwd, text, { 'other.key': 'other-key-1' });
    const read = readIdentities(path, { ...reading, shown: path, main: {} });
    expect(read.problems).toEqual([]);
    expect(read.places).toEqual({
      API_KEY_API_KEY: 'variable MEMBER_KEY',
      API_KEY_OF_OTHER: 'elsewhere identities.yaml:2:34',
      API_KEY_OF_ROBOT: 'program identities.yaml:4:19',
      API_KEY_OF_SERVICE: 'token identities.yaml:6:19',
    });
    const near = write(cwd, `- { name: a }\n- { name: b, keys: { apiKey: { file: ${asset('package.json')} } } }`);
    const file = relative(process.cwd(), asset('package.json'));
    expect(readIdentities(near, { ...reading, main: { API_KEY: 'k' } }).places).toEqual({
      API_KEY_OF_B: `file ${file}`,
    });
  });

  test('two with one key are one account', ({ cwd }) => {
    const text = `${two}  - { name: third, keys: { apiKey: { variable: MEMBER_KEY } } }`;
    const read = readIdentities(write(cwd, text, { 'other.key': 'other-key-1' }), {
      ...reading,
      main: { API_KEY: 'k' },
    });
    expect(read.problems.join()).toMatch(/"third" has the same key as "member"/);
  });

  test('a key in the place of its variable is not shown', ({ cwd }) => {
    const text = '- { name: member, keys: { apiKey: { variable: c0ffee5ca1ab1e00decafbad } } }';
    const { problems } = readIdentities(write(cwd, text), { shown: 'i.yaml', variables: {}, main: {} });
    expect(problems).toEqual([
      expect.stringMatching(/^i.yaml:\d+:\d+ member.keys.apiKey: the variable .* is not set$/),
    ]);
    expect(problems.join()).not.toContain('c0ffee');
  });

  test('a key that is not there is told by where it is looked for', ({ cwd }) => {
    const read = readIdentities(write(cwd, two), { shown: 'i.yaml', variables: {}, main: {} });
    expect(read.problems).toEqual([
      'i.yaml:3:21 member.keys.apiKey: the variable MEMBER_KEY is not set',
      'i.yaml:8:21 other-member.keys.apiKey: the file of the key cannot be read (ENOENT)',
    ]);
  });

  test('they are keys of the target, also where .env holds them under names of no setting', ({ cwd }) => {
    const path = write(cwd, two, {
      'other.key': 'other-key-1',
      '.env': `BASE_URL=https://api.example.com\nAPI_KEY=the-main-key\nMEMBER_KEY=member-key-1\nIDENTITIES=identities.yaml\n`,
    });
    const settings = readSettings({ env: {}, cwd: join(path, '..') });
    expect(Object.keys(settings.keys)).toEqual(['API_KEY']);
    const { keys, identities } = readTarget(settings);
    expect(keys).toEqual({
      API_KEY: 'the-main-key',
      API_KEY_OF_MEMBER: 'member-key-1',
      API_KEY_OF_OTHER_MEMBER: 'other-key-1',
    });
    expect(identities?.map(({ name }) => name)).toEqual(['member', 'other-member']);
  });
});
