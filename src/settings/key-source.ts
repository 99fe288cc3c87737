import { resolve } from 'node:path';
import { isMap, isScalar, isSeq } from 'yaml';
import { nearestName } from '../did-you-mean.js';

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

export interface KeySourceContext {
  /** `file:line` of a node. */
  readonly at: (node: unknown) => string;
  /** Receives one line for each problem; never contains a value that may be a key. */
  readonly problems: string[];
  /** Folder of the file, which paths are relative to and commands run in. */
  readonly base: string;
}

const forms =
  '{variable: NAME}, {file: path}, {command: [program, argument, …]} or {flow: clientCredentials, clientId: …, clientSecret: …}';

const flows = ['clientCredentials', 'password'] as const;

/** Members of a flow that name a secret. */
const flowSecrets = ['clientId', 'clientSecret', 'username', 'password'] as const;

const kinds = ['variable', 'file', 'command', 'flow'] as const;

const isFlow = (text: unknown): text is FlowSource['flow'] => flows.some((flow) => flow === text);

type Members = ReadonlyMap<string, { readonly key: unknown; readonly value: unknown }>;

/**
 * Members of an object by name.
 * @returns undefined, and a problem for each, where one is not allowed
 */
const membersOf = (
  node: unknown,
  { what, form, allowed }: { what: string; form: string; allowed: readonly string[] },
  { at, problems }: KeySourceContext,
): Members | undefined => {
  if (!isMap(node)) {
    problems.push(`${at(node)} ${what} must be ${form}; a key stands in no file`);
    return undefined;
  }
  const members = new Map<string, { key: unknown; value: unknown }>();
  const before = problems.length;
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    members.set(name, { key, value });
    if (allowed.includes(name)) continue;
    const meant = nearestName(name, allowed);
    // A name that is like none may be a key.
    problems.push(
      meant
        ? `${at(key)} ${what} has no member "${name}"; did you mean ${meant}?`
        : `${at(key)} ${what} has a member that is not one of ${allowed.join(', ')}; a key stands in no file`,
    );
  }
  return problems.length > before ? undefined : members;
};

const textOf = (node: unknown): string | undefined =>
  isScalar(node) && typeof node.value === 'string' && node.value !== '' ? node.value : undefined;

const readVariable = (node: unknown, what: string, { at, problems }: KeySourceContext): SecretSource | undefined => {
  const variable = textOf(node);
  if (variable !== undefined && /^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) return { kind: 'variable', variable };
  problems.push(`${at(node)} ${what} must be the name of an environment variable, as MEMBER_KEY`);
  return undefined;
};

const readFileName = (
  node: unknown,
  what: string,
  { at, problems, base }: KeySourceContext,
): SecretSource | undefined => {
  const file = textOf(node);
  if (file !== undefined && !/\p{Cc}/u.test(file)) return { kind: 'file', file: resolve(base, file) };
  problems.push(`${at(node)} ${what} must be the name of a file that holds the secret alone`);
  return undefined;
};

const readSecret = (node: unknown, what: string, context: KeySourceContext): SecretSource | undefined => {
  const form = '{variable: NAME} or {file: path}';
  const members = membersOf(node, { what, form, allowed: ['variable', 'file'] }, context);
  if (!members) return undefined;
  const [only] = [...members];
  if (!only || members.size > 1) {
    context.problems.push(`${context.at(node)} ${what} must be ${form}`);
    return undefined;
  }
  const [kind, { value }] = only;
  return kind === 'variable'
    ? readVariable(value, `${what}.variable`, context)
    : readFileName(value, `${what}.file`, context);
};

const readCommand = (
  node: unknown,
  what: string,
  { at, problems, base }: KeySourceContext,
): CommandSource | undefined => {
  const command = isSeq(node) ? node.items.map((item) => textOf(item)) : [];
  const words = command.flatMap((word) => word ?? []);
  if (words.length > 0 && words.length === command.length && !words.some((word) => word.includes('\0')))
    return { kind: 'command', command: words, folder: base };
  problems.push(
    `${at(node)} ${what}.command must be a list of texts, the program first: [./token.sh, member]; no shell reads it`,
  );
  return undefined;
};

const readFlow = (node: unknown, what: string, context: KeySourceContext): FlowSource | undefined => {
  const { at, problems } = context;
  const allowed = ['flow', ...flowSecrets, 'scope'];
  const members = membersOf(node, { what, form: forms, allowed }, context);
  if (!members) return undefined;
  const before = problems.length;
  const flow = textOf(members.get('flow')?.value);
  if (!isFlow(flow)) {
    problems.push(`${at(members.get('flow')?.value)} ${what}.flow must be ${flows.join(' or ')}`);
    return undefined;
  }
  const secrets: Partial<Record<(typeof flowSecrets)[number], SecretSource>> = {};
  for (const name of flowSecrets) {
    const member = members.get(name);
    if (!member) continue;
    const secret = readSecret(member.value, `${what}.${name}`, context);
    if (secret) secrets[name] = secret;
    if (flow === 'clientCredentials' && (name === 'username' || name === 'password'))
      problems.push(`${at(member.key)} ${what}.${name} belongs to flow: password`);
  }
  const needed = flow === 'password' ? ['clientId', 'username', 'password'] : ['clientId', 'clientSecret'];
  for (const name of needed)
    if (!members.has(name)) problems.push(`${at(node)} ${what} needs ${name}: {variable: NAME} or {file: path}`);
  const scope = textOf(members.get('scope')?.value);
  if (members.has('scope') && scope === undefined)
    problems.push(`${at(members.get('scope')?.key)} ${what}.scope must be text: the scopes with spaces between them`);
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
export const readKeySource = (node: unknown, what: string, context: KeySourceContext): KeySource | undefined => {
  const { at, problems } = context;
  const position = at(node);
  if (!isMap(node)) {
    problems.push(`${position} ${what} must be ${forms}; a key stands in no file`);
    return undefined;
  }
  const [kind, ...others] = kinds.filter((each) => node.has(each));
  if (kind === undefined || others.length > 0) {
    problems.push(`${position} ${what} must have one of ${kinds.join(', ')}: ${forms}`);
    return undefined;
  }
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
