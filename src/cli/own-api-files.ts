import { existsSync } from 'node:fs';
import { stringify } from 'yaml';
import type { Contract, Operation, SecurityScheme } from '../contract/model.js';
import { shellWord } from '../engine/curl-line.js';
import { envValue } from '../settings/env-file.js';
import { jsonText, visible } from '../visible.js';
import { envFile, offeredSchemes } from './file-templates.js';
import { eachIsEnough, fewestKeys, type OwnApi } from './own-api.js';

/**
 * The files that `init --contract` writes: what the document says, and what only its owner knows.
 */

export const overlayName = 'overlay.yaml';
export const parametersName = 'parameters.yaml';

/** The overlay to complete, for a document that asks for no key: the file, or what writes it. */
export const skeletonOf = ({ file }: Pick<Contract, 'file'>): string =>
  existsSync(overlayName)
    ? `complete ${overlayName}, and set OVERLAY=${overlayName}`
    : `access-conformance init --contract ${shellWord(file)} writes one to complete`;

const placeNames = { header: 'header', query: 'query parameter', cookie: 'cookie' } as const;

const sentAs = ({ name, in: place, field, prefix, encoding }: SecurityScheme): string => {
  const what = encoding === 'base64' ? 'user:password, sent in base64' : 'the key alone';
  const shown = place === 'header' ? `: ${prefix}<key>` : '';
  return visible(`# ${name}: ${what}; ${placeNames[place]} ${field}${shown}`);
};

/** Schemes of which the document does not say what stands before the key. */
export const withoutPrefix = ({ schemes }: Pick<OwnApi, 'schemes'>): readonly SecurityScheme[] =>
  schemes.filter(({ prefix, doubt }) => prefix === '' && doubt !== undefined);

/** Whether the document leaves open what an overlay can say. */
export const asksSomething = (api: OwnApi): boolean =>
  api.unstated.length > 0 || api.allPublic.length > 0 || withoutPrefix(api).length > 0;

export const ownEnvFile = (api: OwnApi, caFile: string): string => {
  const enough = eachIsEnough(api);
  const few = fewestKeys(api);
  const when = (condition: boolean, ...lines: readonly string[]): readonly string[] => (condition ? lines : []);
  const mayNeedKey = api.keys.size === 0 && api.unstated.length + api.allPublic.length > 0;
  const lines = [
    `CONTRACT=${envValue(api.contract)}`,
    ...when(api.baseUrl === undefined, '# What stands in front of the paths of the document:'),
    `BASE_URL=${envValue(api.baseUrl ?? '')}`,
    ...when(enough.length > 0, `# Each of ${enough.join(', ')} opens every operation: one is enough.`),
    ...when(
      enough.length === 0 && few.length > 0 && few.length < api.keys.size,
      `# ${few.join(' and ')} ${few.length === 1 ? 'opens' : 'together open'} every operation. The others may stay empty.`,
    ),
    ...[...api.keys].flatMap(([setting, schemes]) => [...schemes.map(sentAs), `${setting}=`]),
    ...when(
      mayNeedKey,
      `# The document asks for no key. If the service does, ${overlayName} has to say how it is sent:`,
      'API_KEY=',
    ),
    ...when(api.withoutValue.length > 0, `PARAMETERS=${parametersName}`),
    ...when(
      asksSomething(api),
      `# Remove the "# " when you have taken a decision in ${overlayName}:`,
      `# OVERLAY=${overlayName}`,
    ),
  ];
  return envFile(lines, caFile);
};

/** One YAML line in a comment, whatever the text holds. */
const comment = (text: string, indent = ''): string => `${indent}# ${visible(text).replaceAll('\n', ' ')}`;

const singleQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const methodNames = /^(?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE|QUERY)$/;

/** A JSONPath to an operation (RFC 9535; a string of JSON is one of its name selectors). */
const targetOf = ({ path, method }: Pick<Operation, 'method' | 'path'>): string =>
  `$.paths[${jsonText(path)}].${methodNames.test(method) ? method.toLowerCase() : `additionalOperations[${jsonText(method)}]`}`;

const action = (target: string, update: string, why: string): string =>
  [comment(`- target: ${singleQuoted(target)}  # ${why}`, '  '), comment(`  update: ${update}`, '  ')].join('\n');

/** The scheme that an overlay may add to a document that has none. */
const ownScheme = 'key';

const inOneLine = (value: object): string =>
  stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, singleQuote: true, lineWidth: 0 }).trim();

const howAKeyIsSent: readonly string[] = [
  '  # How a key is sent, if one is needed; the document has no security scheme. One of these:',
  ...offeredSchemes.flatMap(({ words, definition }) => [
    comment(`- target: $  # ${words}`, '  '),
    comment(`  update: {components: {securitySchemes: {${ownScheme}: ${inOneLine(definition)}}}}`, '  '),
  ]),
  '',
];

/** What may stand before a key in Authorization. */
const prefixChoices = ({ name, field }: SecurityScheme): readonly string[] => {
  const target = `$.components.securitySchemes[${jsonText(name)}]`;
  const choice = (scheme: string, separator: string): string => {
    const update = `{x-access-credential: {scheme: '${scheme}', separator: '${separator}'}}`;
    return action(target, update, `${field}: ${scheme}${separator}<key>`);
  };
  const question = comment(`What stands before the key of ${name} in ${field}? As it is, nothing:`, '  ');
  return ['', question, choice('', ''), choice('Bearer', ' '), choice('Token', ' ')];
};

/**
 * An overlay with what the document does not state: the access of operations, and what stands
 * before a key. All of it is commented out: an operation that is open may be a hole.
 */
export const ownOverlayFile = (api: OwnApi): string => {
  const { unstated, allPublic, schemes } = api;
  const names = schemes.length === 0 ? [ownScheme] : schemes.map(({ name }) => jsonText(name));
  const locked = `[${names.map((name) => `{${name}: []}`).join(', ')}]`;
  const needsKey = (target: string): string => action(target, `{security: ${locked}}`, 'needs a key');
  const choices = (target: string): string[] => [
    action(target, '{security: []}', 'public on purpose: the document has an error'),
    needsKey(target),
  ];
  const access = [
    ...(schemes.length > 0 ? [] : howAKeyIsSent),
    '  # Does it need a key? The document does not say. If one answers without a key: is that a hole in',
    '  # the service, or an error of the document? The last actions hold for all operations that the',
    '  # others leave out.',
    ...unstated.flatMap((operation) => [
      comment(`${operation.method} ${operation.path}: hole in the service, or error of the document?`, '  '),
      ...choices(targetOf(operation)),
      '',
    ]),
    '  # All that are left, at once:',
    ...choices('$.paths.*[?@.responses && !@.security]'),
  ];
  const allNeedNone = [
    ...howAKeyIsSent,
    '  # The document says that no operation needs a key. Each that needs one all the same:',
    ...allPublic.map((operation) => needsKey(targetOf(operation))),
    '',
    '  # All of them, at once:',
    needsKey('$.paths.*[?@.responses]'),
  ];
  return [
    '# What the document does not say, and you decide: remove the "# " in front of both lines of one action,',
    '# and of OVERLAY in .env.',
    'overlay: 1.0.0',
    'info:',
    '  title: Who may read what',
    '  version: 1.0.0',
    'actions:',
    ...(unstated.length > 0 ? access : []),
    ...(allPublic.length > 0 ? allNeedNone : []),
    ...withoutPrefix(api).flatMap(prefixChoices),
    '',
  ].join('\n');
};
