import { isSameSetting, upperSnake } from '../names.js';
import { isArray } from './json-values.js';
import type { Access, SecurityScheme, StatedScheme, Unstated } from './model.js';
import { childNode, itemNodes, memberNodes, type Node, nodeAt, type Problems } from './node.js';
import { byCertificate, type DeclaredScheme, type DeclaredSchemes } from './security-schemes.js';

/** The access of an operation and what opens it; `reason` where the suite cannot send that. */
export interface Requirement {
  readonly access: Access;
  readonly security: readonly SecurityScheme[];
  /** Other alternatives; of a public operation, the keys that clients may send. */
  readonly alternatives?: readonly (readonly SecurityScheme[])[];
  readonly reason?: string;
  /** Names of the schemes that `reason` is about. */
  readonly unusable?: readonly string[];
}

export interface SecurityOptions {
  /** Names of the settings that hold a key. */
  readonly keys?: readonly string[] | undefined;
  readonly unstated?: Unstated | undefined;
  /** Tokens are fetched for schemes of OAuth 2.0 and OpenID Connect without a key. */
  readonly grant?: boolean | undefined;
  /** CLIENT_CERT_FILE is given: every connection shows the certificate that a scheme asks for. */
  readonly certificate?: boolean | undefined;
}

/** Settings that are no key of a scheme. */
const reserved = ['API_KEY_FILE', 'API_KEY_COMMAND'];

/** Where a request has a key, or another parameter. */
type FieldPlace = { readonly in: string; readonly field: string };

/** Whether both use one field. Header names are case-insensitive (RFC 9110, section 5.1). */
export const isSamePlace = (a: FieldPlace, b: FieldPlace): boolean =>
  a.in === b.in && (a.in === 'header' ? a.field.toLowerCase() === b.field.toLowerCase() : a.field === b.field);

/** Whether both send a key in the same way. */
export const sentAlike = (a: Omit<SecurityScheme, 'setting'>, b: Omit<SecurityScheme, 'setting'>): boolean =>
  isSamePlace(a, b) && a.prefix === b.prefix && a.encoding === b.encoding;

/** Whether two alternatives make the same request. */
const sameRequest = (a: readonly SecurityScheme[], b: readonly SecurityScheme[]): boolean =>
  a.length === b.length && a.every((one) => b.some((other) => one.setting === other.setting && sentAlike(one, other)));

const placeNames = { header: 'header field', query: 'query parameter', cookie: 'cookie' } as const;

/** The schemes of one alternative by name, each with the node of its scopes. */
type StatedNodes = ReturnType<typeof memberNodes>;

const isUsable = (declared: DeclaredScheme | undefined): declared is Exclude<DeclaredScheme, string> =>
  typeof declared === 'object';

/** Reads security schemes and requirements as what a client has to send. */
export class Security {
  readonly #root: Node;
  readonly #declaredSchemes: DeclaredSchemes;
  readonly #problems: Problems;
  readonly #unstated: Unstated;
  readonly #grant: boolean;
  readonly #certificate: boolean;
  readonly #settled = new Map<string, SecurityScheme>();
  #several = false;
  readonly #keys: Set<string>;

  constructor(
    root: Node,
    declaredSchemes: DeclaredSchemes,
    problems: Problems,
    { keys: given = [], unstated = 'ask', grant = false, certificate = false }: SecurityOptions,
  ) {
    this.#root = root;
    this.#declaredSchemes = declaredSchemes;
    this.#problems = problems;
    this.#unstated = unstated;
    this.#grant = grant;
    this.#certificate = certificate;
    this.#keys = new Set(given);
  }

  /**
   * Assigns settings to the schemes that requirements use. Call it with all of them before `of`.
   */
  settle(requirements: readonly Node[]): void {
    const used = new Set<string>();
    for (const node of [childNode(this.#root, 'security'), ...requirements])
      for (const [name] of itemNodes(node).flatMap((alternative) => this.#schemesIn(alternative)))
        if (isUsable(this.#declaredSchemes.get(name))) used.add(name);
    // Without a requirement that names a scheme, UNSTATED=protected can only mean one that is
    // declared.
    if (used.size === 0 && this.#unstated === 'protected')
      for (const name of this.#declaredSchemes.names) if (isUsable(this.#declaredSchemes.get(name))) used.add(name);
    this.#several = used.size > 1;
    const forms = [...used].map((name) => this.#declaredSchemes.get(name)).filter(isUsable);
    const alike = forms.every((each) => forms[0] !== undefined && sentAlike(each, forms[0]));
    const settings = new Set<string>();
    for (const name of used) {
      const declared = this.#declaredSchemes.get(name);
      if (!isUsable(declared)) continue;
      const own = `API_KEY_${upperSnake(name)}`;
      let setting = this.#several ? own : 'API_KEY';
      // API_KEY_FILE and API_KEY_COMMAND are other settings, so schemes of these names are
      // numbered.
      for (let number = 2; settings.has(setting) || reserved.includes(setting); number += 1)
        setting = `${own}_${number}`;
      // Word boundaries in `OAuth2PasswordBearer` are unknown, so underscores are ignored.
      const given = [...this.#keys].find(
        (key) => isSameSetting(key, own) && !settings.has(key) && !reserved.includes(key),
      );
      if (!this.#keys.has(setting) && given !== undefined) setting = given;
      // API_KEY is used for each scheme without its own key. If the schemes send it differently,
      // this is a guess.
      if (this.#grant && declared.oauth) this.#keys.add(setting);
      const shared = !this.#keys.has(setting) && this.#keys.has('API_KEY') && (alike || declared.encoding === 'plain');
      if (shared) setting = 'API_KEY';
      settings.add(setting);
      this.#settled.set(name, { ...declared, setting, ...(shared && !alike ? { guessed: true as const } : {}) });
    }
    this.#warnOfGuesses();
    this.#warnOfUnusedKeys();
  }

  get schemes(): readonly SecurityScheme[] {
    return [...this.#settled.values()];
  }

  /** The fields that the schemes of `operation` use: no parameter is sent there. */
  placesOf(operation: Node): readonly Pick<SecurityScheme, 'in' | 'field'>[] {
    return itemNodes(this.#securityOf(operation)).flatMap((alternative) =>
      this.#schemesIn(alternative).flatMap(([name]) => this.#settled.get(name) ?? []),
    );
  }

  /**
   * Every alternative of `operation` with scopes or roles; `undefined` where none states one.
   */
  statedBy(operation: Node): readonly (readonly StatedScheme[])[] | undefined {
    const stated = itemNodes(this.#securityOf(operation)).map((alternative) =>
      this.#schemesIn(alternative).map(([name, { value: scopes }]) => ({
        name,
        scopes: (isArray(scopes) ? scopes : []).filter((scope) => typeof scope === 'string'),
      })),
    );
    return stated.some((schemes) => schemes.some(({ scopes }) => scopes.length > 0)) ? stated : undefined;
  }

  /** The requirement of `operation`: its own `security` or the document's. */
  of(operation: Node): Requirement {
    const node = this.#securityOf(operation);
    if (node.value === undefined) return this.#unstatedRequirement();
    const stated = itemNodes(node).map((alternative) => this.#schemesIn(alternative));
    if (stated.length === 0) return { access: 'public', security: [] };
    const open = stated.map((schemes) => this.#sentBy(schemes));
    const usable = open.filter((schemes) => typeof schemes === 'object');
    if (usable.some((schemes) => schemes.length === 0)) {
      const optional = usable.filter((schemes) => schemes.length > 0);
      return { access: 'public', security: [], ...(optional.length > 0 ? { alternatives: optional } : {}) };
    }
    const given = usable.filter((schemes) => schemes.every(({ setting }) => this.#keys.has(setting)));
    // A key in the URL needs PROBE_KEY_IN_URL, so it is the last choice.
    const chosen =
      given.find((schemes) => schemes.every(({ in: place }) => place !== 'query')) ?? given[0] ?? usable[0];
    const alternatives = usable.filter((schemes) => schemes !== chosen && !(chosen && sameRequest(schemes, chosen)));
    if (chosen) return { access: 'protected', security: chosen, ...(alternatives.length > 0 ? { alternatives } : {}) };
    const first = open.findIndex((schemes) => typeof schemes === 'string');
    return {
      access: 'protected',
      security: [],
      reason: String(open[first]),
      unusable: stated[first]?.map(([name]) => name) ?? [],
    };
  }

  #unstatedRequirement(): Requirement {
    if (this.#unstated === 'public') return { access: 'public', security: [] };
    if (this.#unstated === 'ask')
      return {
        access: 'unstated',
        security: [],
        reason:
          'The document does not say whether it needs credentials: neither the operation nor the document has `security`. ' +
          'Write `security: []` for public, or name the scheme (an overlay can do it); UNSTATED=public or UNSTATED=protected says it of all such operations.',
      };
    const [first, ...others] = this.schemes.toSorted(
      (a, b) => Number(this.#keys.has(b.setting)) - Number(this.#keys.has(a.setting)),
    );
    if (first === undefined)
      return {
        access: 'protected',
        security: [],
        reason: 'UNSTATED=protected, and the document declares no security scheme that a key can be sent by.',
      };
    return {
      access: 'protected',
      security: [first],
      ...(others.length > 0 ? { alternatives: others.map((scheme) => [scheme]) } : {}),
    };
  }

  #securityOf(operation: Node): Node {
    const own = childNode(operation, 'security');
    return own.value === undefined ? childNode(this.#root, 'security') : own;
  }

  #schemesIn(alternative: Node): StatedNodes {
    return memberNodes(alternative).map(([written, node]) => [
      this.#declaredSchemes.nameOf(written, alternative),
      node,
    ]);
  }

  /** What an alternative sends, or why the suite cannot send it. */
  #sentBy(stated: StatedNodes): readonly SecurityScheme[] | string {
    const schemes: SecurityScheme[] = [];
    const names = stated.map(([name]) => name);
    for (const [name, node] of stated) {
      const declared = this.#declaredSchemes.get(name);
      const scheme = this.#settled.get(name);
      if (declared === undefined) {
        const known = this.#declaredSchemes.names;
        this.#problems.warn(
          node,
          `security scheme "${name}" is not defined, so it opens nothing`,
          `${
            known.length === 0
              ? 'Define it under components.securitySchemes.'
              : `components.securitySchemes defines ${known.map((each) => `"${each}"`).join(', ')}.`
          } Until then, operations that nothing else opens count as missed.`,
        );
        return `Its security scheme "${name}" is not defined.`;
      }
      // Beside a key, the certificate is no more than a condition of the connection.
      const isShown =
        declared === byCertificate && names.some((other) => this.#declaredSchemes.get(other) !== byCertificate);
      if (isShown && this.#certificate) continue;
      if (isShown)
        return `Its security scheme "${name}" asks for a client certificate beside the key: set CLIENT_CERT_FILE and CLIENT_KEY_FILE.`;
      if (typeof declared === 'string')
        return `Its security scheme "${name}" cannot be driven by a setting: ${declared}.`;
      if (!scheme || schemes.includes(scheme)) continue;
      const other = schemes.find((each) => isSamePlace(each, scheme));
      if (other && sentAlike(other, scheme)) {
        // One key serves both; use the setting that is set.
        if (!this.#keys.has(other.setting) && this.#keys.has(scheme.setting)) schemes[schemes.indexOf(other)] = scheme;
        continue;
      }
      if (other)
        return (
          `Its security schemes "${other.name}" and "${name}" travel together and share the ${placeNames[scheme.in]} ${scheme.field}, ` +
          'which holds one of them. Write them as alternatives where either is enough (an overlay can do it).'
        );
      schemes.push(scheme);
    }
    return schemes.length > 1 ? schemes.map((scheme) => this.#withOwnKey(scheme)) : schemes;
  }

  /** Schemes that are sent together need different keys, so each gets its own setting. */
  #withOwnKey({ guessed, ...scheme }: SecurityScheme): SecurityScheme {
    return guessed ? { ...scheme, setting: `API_KEY_${upperSnake(scheme.name)}` } : scheme;
  }

  #warnOfGuesses(): void {
    const guessed = this.schemes.filter((scheme) => scheme.guessed);
    if (guessed.length === 0) return;
    const names = guessed.map(({ name }) => `"${name}"`).join(', ');
    const own = guessed.map(({ name }) => `API_KEY_${upperSnake(name)}`).join(', ');
    this.#problems.warn(
      nodeAt(this.#root, ['components', 'securitySchemes']),
      `API_KEY is sent for ${guessed.length === 1 ? 'the scheme' : 'the schemes'} ${names}, for which no key of ${guessed.length === 1 ? 'its' : 'their'} own was given`,
      `Set ${own} where they have other keys.`,
    );
  }

  #warnOfUnusedKeys(): void {
    const settings = this.schemes.map(({ setting, name }) => `${setting} for "${name}"`);
    const used = new Set(this.schemes.map(({ setting }) => setting));
    for (const key of this.#keys) {
      if (used.has(key) || used.size === 0) continue;
      this.#problems.warn(
        nodeAt(this.#root, ['components', 'securitySchemes']),
        key === 'API_KEY'
          ? `API_KEY is not used: the document has several security schemes`
          : `${key} is not used: it is named after no security scheme of the document`,
        `Set ${settings.join(', ')} instead.`,
      );
    }
  }
}
