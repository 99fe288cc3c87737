import type { OpenAPIV3_1 } from 'openapi-types';
import { describedPrefix } from './described-prefix.js';
import type { Access, SecurityScheme } from './model.js';
import { token } from './parameters.js';
import type { Problems } from './problems.js';
import { childNode, type Node, type References } from './references.js';
import { isArray, isObject, type JsonObject } from './tree.js';

/** What an operation asks for: access, and what opens it; `reason` where this suite cannot bring what it asks for. */
export interface Requirement {
  readonly access: Access;
  readonly security: readonly SecurityScheme[];
  /** Other alternatives that a key can be sent by; of a public operation, the keys that its client may send. */
  readonly alternatives?: readonly (readonly SecurityScheme[])[];
  readonly reason?: string;
}

/** A scheme of the document as a way to send a key, or a sentence that says why no key can be sent that way. */
type Declared = Omit<SecurityScheme, 'setting'> | string;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Schemes of RFC 9110 whose credentials answer a challenge or a message, so that no setting can hold them. */
const computed = /^(digest|negotiate|ntlm|hoba|mutual|vapid|dpop|gnap|concealed|privatetoken|scram-.*)$/i;

const prefixOf = (scheme: JsonObject): string => {
  const credential = scheme['x-access-credential'];
  if (!isObject(credential)) return '';
  return `${text(credential.scheme)}${typeof credential.separator === 'string' ? credential.separator : ' '}`;
};

const header = (name: string, prefix: string, encoding: 'plain' | 'base64' = 'plain'): Declared => ({
  name,
  in: 'header',
  field: 'Authorization',
  prefix,
  encoding,
});

/** The prefix that an API key in Authorization has in the words of its description alone. */
const saidPrefix = (scheme: JsonObject): string | undefined =>
  scheme.type === 'apiKey' &&
  scheme.in === 'header' &&
  text(scheme.name).toLowerCase() === 'authorization' &&
  scheme['x-access-credential'] === undefined
    ? describedPrefix(text(scheme.description))
    : undefined;

/** Normalises one Security Scheme Object (OpenAPI 3.1, section 4.8.27). */
const declare = (name: string, scheme: JsonObject): Declared => {
  const type = scheme.type as OpenAPIV3_1.SecuritySchemeObject['type'] | 'mutualTLS';
  switch (type) {
    case 'apiKey': {
      const place = scheme.in;
      if (place !== 'header' && place !== 'query' && place !== 'cookie') return `its place "${text(place)}" is unknown`;
      if (place === 'header' && !token.test(text(scheme.name)))
        return `no header field can be called "${text(scheme.name)}" (RFC 9110, section 5.1)`;
      const said = saidPrefix(scheme);
      const key = { name, in: place, field: text(scheme.name), encoding: 'plain' } as const;
      if (said === undefined) return { ...key, prefix: prefixOf(scheme) };
      const doubt = `Only the description of "${name}" speaks of the prefix ${said}: x-access-credential can say for certain how the key is written.`;
      return { ...key, prefix: `${said} `, doubt };
    }
    case 'http': {
      const word = text(scheme.scheme);
      if (computed.test(word)) return `HTTP ${word} computes its credentials anew for each request`;
      if (word.toLowerCase() === 'basic') return header(name, 'Basic ', 'base64');
      return header(name, word.toLowerCase() === 'bearer' ? 'Bearer ' : `${word} `);
    }
    case 'oauth2':
    case 'openIdConnect':
      return header(name, 'Bearer ');
    case 'mutualTLS':
      return 'a client certificate opens it, and the bypass probes know keys only';
    default:
      // Nobody checks a document of another version against these types.
      return `its type "${text(scheme.type)}" is unknown`;
  }
};

/** Two spellings of one name: `API_KEY_TOKENAUTH` and `API_KEY_TOKEN_AUTH`. */
const sameName = (a: string, b: string): boolean => a.replaceAll('_', '') === b.replaceAll('_', '');

/** `tokenAuth` → `TOKEN_AUTH` */
const upperSnake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();

/** The document's security schemes and requirements, read as what a client has to send. */
export class Security {
  readonly #root: Node;
  readonly #problems: Problems;
  readonly #keys: ReadonlySet<string>;
  readonly #declared = new Map<string, Declared>();
  readonly #schemes = new Map<string, SecurityScheme>();
  #several = false;

  constructor(root: Node, references: References, problems: Problems, keys: readonly string[]) {
    this.#root = root;
    this.#problems = problems;
    this.#keys = new Set(keys);
    const schemes = childNode(root, 'components', 'securitySchemes');
    if (!isObject(schemes.value)) return;
    for (const name of Object.keys(schemes.value)) {
      const scheme = references.resolve(childNode(schemes, name));
      if (!scheme || !isObject(scheme.value)) continue;
      this.#declared.set(name, declare(name, scheme.value));
      this.#checkCredential(name, scheme);
    }
  }

  /** Names settings after the schemes that the document's requirements use. Call it with all of them before `of`. */
  settle(requirements: readonly Node[]): void {
    const used = new Set<string>();
    for (const { value } of [childNode(this.#root, 'security'), ...requirements])
      for (const alternative of isArray(value) ? value : [])
        for (const name of isObject(alternative) ? Object.keys(alternative) : [])
          if (typeof this.#declared.get(name) === 'object') used.add(name);
    this.#several = used.size > 1;
    const settings = new Set<string>();
    for (const name of used) {
      const declared = this.#declared.get(name);
      if (typeof declared !== 'object') continue;
      const own = `API_KEY_${upperSnake(name)}`;
      let setting = this.#several ? own : 'API_KEY';
      // API_KEY_FILE names a file, so that a scheme called "file" is numbered.
      for (let number = 2; settings.has(setting) || setting === 'API_KEY_FILE'; number += 1)
        setting = `${own}_${number}`;
      // Nobody knows where the words of `OAuth2PasswordBearer` end, so underscores make no difference.
      const given = [...this.#keys].find((key) => sameName(key, own) && !settings.has(key) && key !== 'API_KEY_FILE');
      if (!this.#keys.has(setting) && given !== undefined) setting = given;
      settings.add(setting);
      this.#schemes.set(name, { ...declared, setting });
    }
    this.#warnOfUnusedKeys();
  }

  /** Schemes that requirements of the document use and that a key can be sent by. */
  get schemes(): readonly SecurityScheme[] {
    return [...this.#schemes.values()];
  }

  /** Where the schemes that `operation` names put their keys: none of its parameters stands there. */
  placesOf(operation: Node): readonly Pick<SecurityScheme, 'in' | 'field'>[] {
    const own = childNode(operation, 'security').value;
    const written = own === undefined ? childNode(this.#root, 'security').value : own;
    return (isArray(written) ? written : []).flatMap((alternative) =>
      (isObject(alternative) ? Object.keys(alternative) : []).flatMap((name) => this.#schemes.get(name) ?? []),
    );
  }

  /** What `operation` asks for, by its own `security` or the document's. */
  of(operation: Node): Requirement {
    const own = childNode(operation, 'security');
    const node = own.value === undefined ? childNode(this.#root, 'security') : own;
    if (node.value === undefined)
      return {
        access: 'unstated',
        security: [],
        reason:
          'The document does not say whether it needs credentials: neither the operation nor the document has `security`. ' +
          'Write `security: []` for public, or name the scheme (an overlay can do it).',
      };
    const written = isArray(node.value) ? node.value : [];
    if (written.length === 0) return { access: 'public', security: [] };
    const open = written.map((alternative, index) => this.#alternative(childNode(node, index), alternative));
    const usable = open.filter((schemes) => typeof schemes === 'object');
    if (usable.some((schemes) => schemes.length === 0)) {
      const optional = usable.filter((schemes) => schemes.length > 0);
      return { access: 'public', security: [], ...(optional.length > 0 ? { alternatives: optional } : {}) };
    }
    const given = usable.filter((schemes) => schemes.every(({ setting }) => this.#keys.has(setting)));
    // A key in the URL has to be allowed first, so it is the last choice.
    const chosen =
      given.find((schemes) => schemes.every(({ in: place }) => place !== 'query')) ?? given[0] ?? usable[0];
    const alternatives = usable.filter((schemes) => schemes !== chosen);
    if (chosen) return { access: 'protected', security: chosen, ...(alternatives.length > 0 ? { alternatives } : {}) };
    return { access: 'protected', security: [], reason: String(open.find((schemes) => typeof schemes === 'string')) };
  }

  #alternative(node: Node, alternative: unknown): readonly SecurityScheme[] | string {
    const schemes: SecurityScheme[] = [];
    for (const name of isObject(alternative) ? Object.keys(alternative) : []) {
      const declared = this.#declared.get(name);
      const scheme = this.#schemes.get(name);
      if (declared === undefined) {
        const known = [...this.#declared.keys()];
        this.#problems.error(
          childNode(node, name),
          `security scheme "${name}" is not defined`,
          known.length === 0
            ? 'Define it under components.securitySchemes.'
            : `components.securitySchemes defines ${known.map((each) => `"${each}"`).join(', ')}.`,
        );
        return `Its security scheme "${name}" is not defined.`;
      }
      if (typeof declared === 'string')
        return `Its security scheme "${name}" cannot be driven by a setting: ${declared}.`;
      if (scheme) schemes.push(scheme);
    }
    return schemes;
  }

  /** `x-access-credential` must be usable; where a description alone speaks of a prefix, that is worth a word. */
  #checkCredential(name: string, scheme: Node): void {
    const credential = childNode(scheme, 'x-access-credential');
    if (credential.value !== undefined) {
      const { scheme: word, separator = ' ' } = isObject(credential.value) ? credential.value : {};
      if (typeof word !== 'string' || typeof separator !== 'string')
        this.#problems.error(
          credential,
          'x-access-credential must name a scheme',
          "For example {scheme: Token, separator: ' '}.",
        );
      return;
    }
    const said = isObject(scheme.value) ? saidPrefix(scheme.value) : undefined;
    if (said === undefined) return;
    this.#problems.warn(
      scheme,
      `security scheme "${name}" puts the prefix ${said} before the key in its description alone; the key is sent so`,
      `Add x-access-credential: {scheme: ${said}, separator: ' '} to it, or {scheme: '', separator: ''} for a key without a prefix; an overlay can do it.`,
    );
  }

  #warnOfUnusedKeys(): void {
    const settings = this.schemes.map(({ setting, name }) => `${setting} for "${name}"`);
    const used = new Set(this.schemes.map(({ setting }) => setting));
    for (const key of this.#keys) {
      if (used.has(key) || used.size === 0) continue;
      this.#problems.warn(
        childNode(this.#root, 'components', 'securitySchemes'),
        key === 'API_KEY'
          ? `API_KEY is not used: the document has several security schemes`
          : `${key} is not used: it is named after no security scheme of the document`,
        `Set ${settings.join(', ')} instead.`,
      );
    }
  }
}
