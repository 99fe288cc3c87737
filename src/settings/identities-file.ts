import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import { yamlHint } from '../errors.js';
import { didYouMean, upperSnake } from '../names.js';
import { visible } from '../visible.js';
import { type KeySource, readKeySource } from './key-source.js';
import { checkMember, parseYaml, refuse, textIn, textsIn, type YamlReading } from './yaml-file.js';

/** A holder of keys. `nobody` and the invalid key are not identities here. */
export interface Identity {
  /** Letters, digits, dots, underscores and dashes; unique. */
  readonly name: string;
  /**
   * Security scheme → setting that stands for its key (`API_KEY_OF_MEMBER`); absent for the holder
   * of API_KEY.
   */
  readonly keys?: Readonly<Record<string, string>>;
  /** Scopes or roles that it holds; absent: not known. */
  readonly scopes?: readonly string[];
  /**
   * Names of identities with the same rights and another account, whichever of two names the other.
   */
  readonly peers: readonly string[];
  /** The value by which rows name it as their owner. */
  readonly owns?: string;
}

/** An identity as the file of IDENTITIES names it. */
export interface GivenIdentity extends Omit<Identity, 'keys'> {
  /** Where its key of each security scheme is; empty for the holder of API_KEY. */
  readonly keys: ReadonlyMap<string, KeySource>;
  /** `file:line:column`. */
  readonly position: string;
}

/** Names of those who ask in every run. */
const reservedNames: readonly string[] = ['nobody', 'invalid key', 'the key'];

const members = ['name', 'keys', 'scopes', 'peers', 'owns'] as const;

const readName = (item: YAMLMap, reading: YamlReading): string | undefined => {
  const node = item.get('name', true);
  const name = textIn(node);
  if (name !== undefined && reservedNames.includes(name))
    return refuse(reading, node, `"${name}" asks in every run already; give the identity another name`);
  return name !== undefined && /^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/.test(name)
    ? name
    : refuse(
        reading,
        node ?? item,
        'an identity needs a name of letters, digits, dots, underscores and dashes, at most 60',
      );
};

const readKeys = (node: unknown, name: string, reading: YamlReading): ReadonlyMap<string, KeySource> => {
  const keys = new Map<string, KeySource>();
  if (!isMap(node) || node.items.length === 0) {
    const form = '{apiKey: {variable: MEMBER_KEY}}';
    refuse(reading, node, `${name}.keys must be security scheme to key: ${form}; a key stands in no file`);
    return keys;
  }
  for (const { key, value } of node.items) {
    const scheme = isScalar(key) ? String(key.value) : '';
    const source = readKeySource(value, `${name}.keys.${scheme}`, reading);
    if (source) keys.set(scheme, source);
  }
  return keys;
};

const readIdentity = (item: unknown, reading: YamlReading): GivenIdentity | undefined => {
  if (!isMap(item)) return refuse(reading, item, 'an identity is {name, keys, scopes, peers, owns}');
  for (const { key } of item.items) checkMember(reading, key, 'an identity', members);
  const name = readName(item, reading);
  if (name === undefined) return undefined;
  const node = (member: (typeof members)[number]): unknown => item.get(member, true);
  const list = (member: 'scopes' | 'peers'): readonly string[] | undefined => {
    if (!item.has(member)) return undefined;
    return textsIn(node(member)) ?? refuse(reading, node(member), `${name}.${member} must be a list of texts`);
  };
  const scopes = list('scopes');
  const owns = node('owns');
  const owner = isScalar(owns) ? String(owns.value ?? '') : '';
  if (item.has('owns') && owner === '')
    refuse(reading, owns, `${name}.owns must be the text or number by which rows name their owner`);
  return {
    name,
    keys: item.has('keys') ? readKeys(node('keys'), name, reading) : new Map(),
    ...(scopes ? { scopes: scopes.map(visible) } : {}),
    peers: list('peers') ?? [],
    ...(owner === '' ? {} : { owns: owner }),
    position: reading.at(item),
  };
};

/** Each identity with its peers, also those that name it. */
const withMutualPeers = (identities: readonly GivenIdentity[]): readonly GivenIdentity[] =>
  identities.map((each) => {
    const naming = identities.filter(({ peers }) => peers.includes(each.name)).map(({ name }) => name);
    return { ...each, peers: [...new Set([...each.peers, ...naming])] };
  });

const checkTogether = (identities: readonly GivenIdentity[], problems: string[]): void => {
  const before = new Map<string, GivenIdentity>();
  let holder: GivenIdentity | undefined;
  for (const each of identities) {
    const { name, keys, peers, position } = each;
    const namesake = before.get(upperSnake(name));
    if (namesake) problems.push(`${position} "${name}" is called like "${namesake.name}" (${namesake.position})`);
    before.set(upperSnake(name), each);
    if (keys.size === 0) {
      if (holder)
        problems.push(
          `${position} "${name}" has no keys, and neither has "${holder.name}" (${holder.position}): one identity at most holds API_KEY`,
        );
      holder ??= each;
    }
    const others = identities.flatMap((other) => (other === each ? [] : [other.name]));
    for (const peer of peers) {
      if (peer === name) problems.push(`${position} "${name}" is its own peer`);
      else if (!others.includes(peer)) {
        const meant = didYouMean(peer, others);
        problems.push(`${position} ${name}.peers: no identity is called "${peer}"${meant && `; ${meant}`}`);
      }
    }
  }
};

/**
 * Reads the file of IDENTITIES: `identities`, a list of `{name, keys, scopes, peers, owns}`. Looks
 * at no key.
 * @param path absolute path of a readable file
 * @param shown path for messages
 * @returns the identities in their order, and one line for each problem, without anything that may
 * be a key
 */
export const readIdentitiesFile = (
  path: string,
  shown: string,
): { readonly identities: readonly GivenIdentity[]; readonly problems: readonly string[] } => {
  const { contents, errors, placeAt, placeOf } = parseYaml(readFileSync(path, 'utf8'));
  const written = ({ line, column }: ReturnType<typeof placeAt>): string => `${shown}:${line}:${column}`;
  const [error] = errors;
  if (error)
    return {
      identities: [],
      problems: [`${written(placeAt(error.pos[0]))} cannot be read as YAML or JSON. ${yamlHint}`],
    };
  const at = (node: unknown): string => written(placeOf(node));
  const list: unknown = isMap(contents) ? contents.get('identities', true) : contents;
  const problems: string[] = [];
  if (!isSeq(list) || list.items.length === 0) {
    problems.push(`${at(list)} the file must hold "identities": a list of {name, keys, scopes, peers, owns}`);
    return { identities: [], problems };
  }
  const reading = { at, problems, base: dirname(path) };
  const identities = list.items.flatMap((item) => readIdentity(item, reading) ?? []);
  checkTogether(identities, problems);
  return { identities: withMutualPeers(identities), problems };
};
