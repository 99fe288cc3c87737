import { resolve } from 'node:path';
import { isMap, isScalar } from 'yaml';
import { checkMember, refuse, textIn, textsIn, type YamlReading } from './yaml-file.js';

/** Where one secret is: in an environment variable, or in a file (absolute path). */
export type SecretSource =
  | { readonly kind: 'variable'; readonly variable: string }
  | { readonly kind: 'file'; readonly file: string };

/**
 * A program that prints a key, or `{"key": "…", "expiresAt": "ISO 8601"}`. No shell is involved.
 */
export interface CommandSource {
  readonly kind: 'command';
  /** The program and its arguments; at least the program. */
  readonly command: readonly string[];
  /** Absolute path of the folder that it runs in. */
  readonly folder: string;
}

/** An OAuth 2.0 grant (RFC 6749 sections 4.3 and 4.4), asked for at the token URL of the scheme. */
export interface FlowSource {
  readonly kind: 'flow';
  readonly flow: 'clientCredentials' | 'password';
  readonly clientId: SecretSource;
  /** Absent for a public client, which only the password flow allows. */
  readonly clientSecret?: SecretSource;
  /** Only, and always, for the password flow. */
  readonly username?: SecretSource;
  readonly password?: SecretSource;
  /** Scopes to ask for, with spaces between them. */
  readonly scope?: string;
}

/** How a key is got. */
export type KeySource = (SecretSource | CommandSource | FlowSource) & {
  /** `file:line` where it is written; the name of a setting where it is not in a file. */
  readonly position: string;
};

const forms =
  '{variable: NAME}, {file: path}, {command: [program, argument, …]} or {flow: clientCredentials, clientId: …, clientSecret: …}';

const flows = ['clientCredentials', 'password'] as const;

const flowSecrets = ['clientId', 'clientSecret', 'username', 'password'] as const;

const kinds = ['variable', 'file', 'command', 'flow'] as const;

const isFlow = (text: unknown): text is FlowSource['flow'] => flows.some((flow) => flow === text);

type NodesByName = ReadonlyMap<string, { readonly key: unknown; readonly value: unknown }>;

/**
 * Members of an object by name.
 * @returns undefined, and a problem for each, where one is not allowed
 */
const membersOf = (
  node: unknown,
  { what, form, allowed }: { what: string; form: string; allowed: readonly string[] },
  reading: YamlReading,
): NodesByName | undefined => {
  if (!isMap(node)) return refuse(reading, node, `${what} must be ${form}; a key stands in no file`);
  const members = new Map<string, { key: unknown; value: unknown }>();
  const before = reading.problems.length;
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    members.set(name, { key, value });
    checkMember(reading, key, what, allowed);
  }
  return reading.problems.length > before ? undefined : members;
};

const readVariable = (node: unknown, what: string, reading: YamlReading): SecretSource | undefined => {
  const variable = textIn(node);
  return variable !== undefined && /^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)
    ? { kind: 'variable', variable }
    : refuse(reading, node, `${what} must be the name of an environment variable, as MEMBER_KEY`);
};

const readFileName = (node: unknown, what: string, reading: YamlReading): SecretSource | undefined => {
  const file = textIn(node);
  return file !== undefined && !/\p{Cc}/u.test(file)
    ? { kind: 'file', file: resolve(reading.base, file) }
    : refuse(reading, node, `${what} must be the name of a file that holds the secret alone`);
};

const readSecret = (node: unknown, what: string, context: YamlReading): SecretSource | undefined => {
  const form = '{variable: NAME} or {file: path}';
  const members = membersOf(node, { what, form, allowed: ['variable', 'file'] }, context);
  if (!members) return undefined;
  const [only] = [...members];
  if (!only || members.size > 1) return refuse(context, node, `${what} must be ${form}`);
  const [kind, { value }] = only;
  return kind === 'variable'
    ? readVariable(value, `${what}.variable`, context)
    : readFileName(value, `${what}.file`, context);
};

const readCommand = (node: unknown, what: string, reading: YamlReading): CommandSource | undefined => {
  const words = textsIn(node) ?? [];
  return words.length > 0 && !words.some((word) => word.includes('\0'))
    ? { kind: 'command', command: words, folder: reading.base }
    : refuse(
        reading,
        node,
        `${what}.command must be a list of texts, the program first: [./token.sh, member]; no shell reads it`,
      );
};

const readFlow = (node: unknown, what: string, context: YamlReading): FlowSource | undefined => {
  const { problems } = context;
  const allowed = ['flow', ...flowSecrets, 'scope'];
  const members = membersOf(node, { what, form: forms, allowed }, context);
  if (!members) return undefined;
  const before = problems.length;
  const given = members.get('flow')?.value;
  const flow = textIn(given);
  if (!isFlow(flow)) return refuse(context, given, `${what}.flow must be ${flows.join(' or ')}`);
  const secrets: Partial<Record<(typeof flowSecrets)[number], SecretSource>> = {};
  for (const name of flowSecrets) {
    const member = members.get(name);
    if (!member) continue;
    const secret = readSecret(member.value, `${what}.${name}`, context);
    if (secret) secrets[name] = secret;
    if (flow === 'clientCredentials' && (name === 'username' || name === 'password'))
      refuse(context, member.key, `${what}.${name} belongs to flow: password`);
  }
  const needed = flow === 'password' ? ['clientId', 'username', 'password'] : ['clientId', 'clientSecret'];
  for (const name of needed)
    if (!members.has(name)) refuse(context, node, `${what} needs ${name}: {variable: NAME} or {file: path}`);
  const scope = textIn(members.get('scope')?.value);
  if (members.has('scope') && scope === undefined)
    refuse(context, members.get('scope')?.key, `${what}.scope must be text: the scopes with spaces between them`);
  const { clientId } = secrets;
  if (problems.length > before || !clientId) return undefined;
  return { ...secrets, kind: 'flow', flow, clientId, ...(scope === undefined ? {} : { scope }) };
};

/**
 * Reads where a key comes from: one object of a YAML file, `{variable: NAME}`, `{file: path}`,
 * `{command: [program, argument, …]}` or `{flow: …}`. Looks neither at variables nor at files.
 * @param what name for messages: `member.keys.apiKey`
 * @returns undefined, and at least one problem, where it cannot be used
 */
export const readKeySource = (node: unknown, what: string, context: YamlReading): KeySource | undefined => {
  const position = context.at(node);
  if (!isMap(node)) return refuse(context, node, `${what} must be ${forms}; a key stands in no file`);
  const [kind, ...others] = kinds.filter((each) => node.has(each));
  if (kind === undefined || others.length > 0)
    return refuse(context, node, `${what} must have one of ${kinds.join(', ')}: ${forms}`);
  const source = ((): SecretSource | CommandSource | FlowSource | undefined => {
    if (kind === 'flow') return readFlow(node, what, context);
    const members = membersOf(node, { what, form: forms, allowed: [kind] }, context);
    const value = members?.get(kind)?.value;
    if (!members) return undefined;
    if (kind === 'variable') return readVariable(value, `${what}.variable`, context);
    return kind === 'file' ? readFileName(value, `${what}.file`, context) : readCommand(value, what, context);
  })();
  return source && { ...source, position };
};
