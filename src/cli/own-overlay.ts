import { stringify } from 'yaml';
import type { Operation, SecurityScheme } from '../contract/model.js';
import { jsonText, visible } from '../visible.js';
import { offeredSchemes } from './files.js';
import { type OwnApi, withoutPrefix } from './own-api.js';

/** The overlay that `init --contract` writes: what only the owner of the document knows. */

/** One YAML line in a comment, whatever the text holds. */
const comment = (text: string, indent = ''): string => `${indent}# ${visible(text).replaceAll('\n', ' ')}`;

const singleQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const methodNames = /^(?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE|QUERY)$/;

/** A JSONPath to an operation (RFC 9535; a string of JSON is one of its name selectors). */
const targetOf = ({ path, method }: Pick<Operation, 'method' | 'path'>): string =>
  `$.paths[${jsonText(path)}].${methodNames.test(method) ? method.toLowerCase() : `additionalOperations[${jsonText(method)}]`}`;

const action = (target: string, does: string, why: string): string =>
  [comment(`- target: ${singleQuoted(target)}  # ${why}`, '  '), comment(`  ${does}`, '  ')].join('\n');

/** Takes `{}` out of a requirement, by which a client may send no key. An update would only add. */
const noLongerOptional = (security: string): string =>
  action(`${security}[?length(@) == 0]`, 'remove: true', 'needs a key');

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
    return action(target, `update: ${update}`, `${field}: ${scheme}${separator}<key>`);
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
  const needsKey = (target: string): string => action(target, `update: {security: ${locked}}`, 'needs a key');
  const choices = (target: string): string[] => [
    action(target, 'update: {security: []}', 'public on purpose: the document has an error'),
    needsKey(target),
  ];
  const access = [
    ...(schemes.length > 0 ? [] : howAKeyIsSent),
    '  # Does it need a key? The document does not say. If one answers without a key: is that a hole in',
    '  # the service, or an error of the document? The last actions hold for all operations that the',
    '  # others leave out.',
    ...unstated.flatMap((operation) => [
      comment(`${operation.method} ${operation.path}`, '  '),
      ...choices(targetOf(operation)),
      '',
    ]),
    '  # All that are left, at once:',
    ...choices('$.paths.*[?@.responses && !@.security]'),
  ];
  const optional = allPublic.filter(({ alternatives }) => alternatives !== undefined);
  const optionalAt = [
    ...(optional.some(({ ownSecurity }) => !ownSecurity) ? ['$'] : []),
    ...(optional.some(({ ownSecurity }) => ownSecurity) ? ['$.paths.*.*'] : []),
  ];
  const allNeedNone = [
    ...(schemes.length > 0 ? [] : howAKeyIsSent),
    '  # The document says that no operation needs a key. Each that needs one all the same:',
    ...allPublic.map((operation) =>
      operation.alternatives && operation.ownSecurity
        ? noLongerOptional(`${targetOf(operation)}.security`)
        : needsKey(targetOf(operation)),
    ),
    '',
    ...(schemes.length > 0
      ? ['  # All that take a key already, at once:', ...optionalAt.map((at) => noLongerOptional(`${at}.security`))]
      : ['  # All of them, at once:', needsKey('$.paths.*[?@.responses]')]),
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
