import { isArray } from './json-values.js';
import type { LoadOptions, Unstated } from './load-options.js';
import type { Access, SecurityScheme, StatedScheme } from './model.js';
import { childNode, itemNodes, memberNodes, type Node, nodeAt, type Problems } from './node.js';
import {
  assignKeySettings,
  byCertificate,
  type DeclaredSchemes,
  isSamePlace,
  ownSetting,
  sentAlike,
  type UnassignedScheme,
} from './security-schemes.js';

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

type SecurityOptions = Pick<LoadOptions, 'keys' | 'unstated' | 'grant' | 'certificate'>;

/** Whether two alternatives make the same request. */
const sameRequest = (a: readonly SecurityScheme[], b: readonly SecurityScheme[]): boolean =>
  a.length === b.length && a.every((one) => b.some((other) => one.setting === other.setting && sentAlike(one, other)));

const placeNames = { header: 'header field', query: 'query parameter', cookie: 'cookie' } as const;

/** The schemes of one alternative by name, each with the node of its scopes. */
type StatedNodes = ReturnType<typeof memberNodes>;

/** What a document says about security, and its operations in order. */
interface DocumentSecurity {
  readonly root: Node;
  readonly declaredSchemes: DeclaredSchemes;
  readonly operations: readonly Node[];
  readonly problems: Problems;
}

/** Reads security schemes and requirements as what a client has to send. */
export class Security {
  readonly #root: Node;
  readonly #declaredSchemes: DeclaredSchemes;
  readonly #problems: Problems;
  readonly #unstated: Unstated;
  readonly #certificate: boolean;
  readonly #schemes: ReadonlyMap<string, SecurityScheme>;
  readonly #keys: ReadonlySet<string>;

  constructor(
    { root, declaredSchemes, operations, problems }: DocumentSecurity,
    { keys: given = [], unstated = 'ask', grant = false, certificate = false }: SecurityOptions,
  ) {
    this.#root = root;
    this.#declaredSchemes = declaredSchemes;
    this.#problems = problems;
    this.#unstated = unstated;
    this.#certificate = certificate;
    const { schemes, keys } = assignKeySettings(this.#usedSchemes(operations), given, grant);
    this.#schemes = new Map(schemes.map((scheme) => [scheme.name, scheme]));
    this.#keys = keys;
    this.#warnOfGuesses();
    this.#warnOfUnusedKeys();
  }

  /** The schemes that requirements name, without those that no key can be sent by. */
  #usedSchemes(operations: readonly Node[]): readonly UnassignedScheme[] {
    const requirements = [this.#root, ...operations].map((node) => childNode(node, 'security'));
    const named = requirements.flatMap(itemNodes).flatMap((alternative) => this.#schemesIn(alternative));
    const usable = (names: Iterable<string>): readonly UnassignedScheme[] =>
      [...new Set(names)].map((name) => this.#declaredSchemes.get(name)).filter((scheme) => typeof scheme === 'object');
    const used = usable(named.map(([name]) => name));
    // Without a requirement that names a scheme, UNSTATED=protected can only mean one that is
    // declared.
    return used.length === 0 && this.#unstated === 'protected' ? usable(this.#declaredSchemes.names) : used;
  }

  get schemes(): readonly SecurityScheme[] {
    return [...this.#schemes.values()];
  }

  /** The fields that the schemes of `operation` use: no parameter is sent there. */
  placesOf(operation: Node): readonly Pick<SecurityScheme, 'in' | 'field'>[] {
    return itemNodes(this.#securityOf(operation)).flatMap((alternative) =>
      this.#schemesIn(alternative).flatMap(([name]) => this.#schemes.get(name) ?? []),
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
      const scheme = this.#schemes.get(name);
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
    return guessed ? { ...scheme, setting: ownSetting(scheme) } : scheme;
  }

  #warnOfGuesses(): void {
    const guessed = this.schemes.filter((scheme) => scheme.guessed);
    if (guessed.length === 0) return;
    const names = guessed.map(({ name }) => `"${name}"`).join(', ');
    const own = guessed.map(ownSetting).join(', ');
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
