import type { OpenAPIV3_1 } from 'openapi-types';
import { isObject, present } from '../collections.js';
import { isSameSetting, token, upperSnake } from '../names.js';
import type { JsonObject } from './json-values.js';
import type { SecurityScheme, TokenUrls } from './model.js';
import { childNode, memberNodes, type Node, nodeAt, type Problems } from './node.js';
import type { References } from './references.js';

/**
 * How descriptions of security schemes name the prefix of the key. OpenAPI has no field for it, so
 * generators write prose: `with required prefix "Token"`, `Enter 'Bearer' [space] and then your
 * token`, `Authorization: Bearer {token}`.
 */
const prefixPatterns: readonly RegExp[] = [
  /\b[Pp]refix\w*\W{1,4}(?:(?:the|your) \w+ |it |value |key |token )?(?:(?:with|by|of|is) )?(?:the (?:word|string) )?(?:["'`*“‘]+([A-Za-z][\w-]*)|([A-Z][\w-]*))/,
  /["'`*“‘]([A-Za-z][\w-]*) ?["'`*”’]+,? (?:\[space\]|prefix|followed by)/,
  /\b(Bearer|Token|ApiKey|Api-Key|JWT) ?[<{[](?=[^>}\]]*(?:[Tt]oken|TOKEN|[Kk]ey|KEY|[Jj]wt|JWT))/,
];

/** True for `do not add the prefix "Bearer"`. */
const isDenied = (before: string): boolean =>
  /\b(?:no|not|never|without|omit|remove)\b|n['’]t\b/i.test(before.split(/[.!?;]\s/).at(-1) ?? '');

/** The prefix that `description` names, without its separator; `undefined` where it names none. */
const describedPrefix = (description: string): string | undefined => {
  for (const pattern of prefixPatterns) {
    const found = pattern.exec(description);
    const word = found?.[1] ?? found?.[2];
    if (found && word !== undefined && word.toLowerCase() !== 'authorization')
      return isDenied(description.slice(0, found.index)) ? undefined : word;
  }
  return undefined;
};

/** A client certificate is shown by the connection (`CLIENT_CERT_FILE`), and is no key. */
export const byCertificate = 'a client certificate opens it, and this suite probes keys only';

/** A normalised scheme, before it is known which setting holds its key. */
export type UnassignedScheme = Omit<SecurityScheme, 'setting'>;

/** A normalised scheme, or a sentence that says why no key can be sent by it. */
type DeclaredScheme = UnassignedScheme | string;

/** Where a request has a key, or another parameter. */
type FieldPlace = { readonly in: string; readonly field: string };

/** Whether both use one field. Header names are case-insensitive (RFC 9110, section 5.1). */
export const isSamePlace = (a: FieldPlace, b: FieldPlace): boolean =>
  a.in === b.in && (a.in === 'header' ? a.field.toLowerCase() === b.field.toLowerCase() : a.field === b.field);

/** Whether both send a key in the same way. */
export const sentAlike = (a: UnassignedScheme, b: UnassignedScheme): boolean =>
  isSamePlace(a, b) && a.prefix === b.prefix && a.encoding === b.encoding;

const stringOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

/** HTTP schemes with computed credentials, which no setting can hold. */
const challengeSchemes = /^(digest|negotiate|ntlm|hoba|mutual|vapid|dpop|gnap|concealed|privatetoken|scram-.*)$/i;

const prefixOf = (scheme: JsonObject): string => {
  const credential = scheme['x-access-credential'];
  if (!isObject(credential)) return '';
  return `${stringOrEmpty(credential.scheme)}${typeof credential.separator === 'string' ? credential.separator : ' '}`;
};

/** Where tokens are got (OpenAPI 3.1, sections 4.8.27 to 4.8.29). */
const tokenUrlsOf = ({ flows, openIdConnectUrl }: JsonObject): TokenUrls => {
  const urlOf = (flow: 'clientCredentials' | 'password'): string | undefined => {
    const stated = isObject(flows) ? flows[flow] : undefined;
    return isObject(stated) && typeof stated.tokenUrl === 'string' ? stated.tokenUrl : undefined;
  };
  const [clientCredentials, password] = [urlOf('clientCredentials'), urlOf('password')];
  return present({
    clientCredentials,
    password,
    discovery: typeof openIdConnectUrl === 'string' ? openIdConnectUrl : undefined,
  });
};

const header = (name: string, prefix: string, encoding: 'plain' | 'base64' = 'plain'): UnassignedScheme => ({
  name,
  in: 'header',
  field: 'Authorization',
  prefix,
  encoding,
  ignoresCase: true,
});

/** The field and the prefix in a name such as `Authorization: Bearer`, which no field can have. */
const fieldAndPrefix = (scheme: JsonObject): readonly [field: string, prefix?: string] => {
  const name = stringOrEmpty(scheme.name);
  const [, field, prefix] = (scheme.in === 'header' && /^([^\s:]+): *(\S+)$/.exec(name)) || [];
  return field === undefined || prefix === undefined ? [name] : [field, prefix];
};

/**
 * An API key in Authorization of which the document does not say how it is written there. The
 * field's value begins with a scheme (RFC 9110, section 11.4), which may be part of what the
 * document calls the key.
 */
const leavesPrefixOpen = (scheme: JsonObject): boolean =>
  scheme.type === 'apiKey' &&
  scheme.in === 'header' &&
  stringOrEmpty(scheme.name).toLowerCase() === 'authorization' &&
  scheme['x-access-credential'] === undefined;

/**
 * The prefix of a key that only its description or the name of its field has, and which of them.
 */
const prefixInWords = (scheme: JsonObject): readonly [prefix: string, place: string] | undefined => {
  if (scheme.type !== 'apiKey' || scheme['x-access-credential'] !== undefined) return undefined;
  const [, named] = fieldAndPrefix(scheme);
  if (named !== undefined) return [named, 'field name'];
  const described = leavesPrefixOpen(scheme) ? describedPrefix(stringOrEmpty(scheme.description)) : undefined;
  return described === undefined ? undefined : [described, 'description'];
};

/** Normalises one Security Scheme Object (OpenAPI 3.1, section 4.8.27). */
const normaliseScheme = (name: string, scheme: JsonObject): DeclaredScheme => {
  const type = scheme.type as OpenAPIV3_1.SecuritySchemeObject['type'] | 'mutualTLS';
  switch (type) {
    case 'apiKey': {
      const place = scheme.in;
      if (place !== 'header' && place !== 'query' && place !== 'cookie')
        return `its place "${stringOrEmpty(place)}" is unknown`;
      const [field] = fieldAndPrefix(scheme);
      if (place === 'header' && !token.test(field))
        return `no header field can be called "${field}" (RFC 9110, section 5.1)`;
      const said = prefixInWords(scheme);
      const key = { name, in: place, field, encoding: 'plain' } as const;
      if (said === undefined) {
        const doubt = `The document does not say whether a word stands before the key of "${name}": x-access-credential, as {scheme: Bearer, separator: ' '}, can say it (in an overlay too).`;
        return { ...key, prefix: prefixOf(scheme), ...(leavesPrefixOpen(scheme) ? { doubt } : {}) };
      }
      const [prefix, where] = said;
      const doubt = `Only the ${where} of "${name}" speaks of the prefix ${prefix}: x-access-credential can say for certain how the key is written.`;
      return { ...key, prefix: `${prefix} `, doubt };
    }
    case 'http': {
      const word = stringOrEmpty(scheme.scheme);
      if (challengeSchemes.test(word)) return `HTTP ${word} computes its credentials anew for each request`;
      if (word.toLowerCase() === 'basic') return header(name, 'Basic ', 'base64');
      return header(name, word.toLowerCase() === 'bearer' ? 'Bearer ' : `${word} `);
    }
    case 'oauth2':
    case 'openIdConnect':
      return { ...header(name, 'Bearer '), oauth: tokenUrlsOf(scheme) };
    case 'mutualTLS':
      return byCertificate;
    default:
      // The type is not checked at run time.
      return `its type "${stringOrEmpty(scheme.type)}" is unknown`;
  }
};

/**
 * The security schemes among the components of a document, by name.
 * @param takesUris security requirements may name a scheme by its URI, as in OpenAPI 3.2
 */
export const readDeclaredSchemes = (root: Node, references: References, problems: Problems, takesUris: boolean) => {
  const byName = new Map<string, DeclaredScheme>();
  const nameOfValue = new Map<unknown, string>();

  const get = (name: string): DeclaredScheme | undefined => byName.get(name);

  /**
   * The name of the scheme that a security requirement names by it or by its URI (OpenAPI 3.2,
   * section 4.30). What names no scheme is returned as it is written.
   */
  const nameOf = (written: string, requirement: Node): string => {
    if (!takesUris || byName.has(written)) return written;
    const found = references.find(requirement, written);
    const scheme = found && references.resolve(found);
    if (!found || !isObject(scheme?.value) || typeof scheme.value.type !== 'string') return written;
    const last = String(found.path.at(-1) ?? '');
    if (!nameOfValue.has(scheme.value)) declare(last === '' || byName.has(last) ? written : last, scheme);
    return nameOfValue.get(scheme.value) ?? written;
  };

  const declare = (name: string, scheme: Node | undefined): void => {
    if (!scheme || !isObject(scheme.value)) return;
    byName.set(name, normaliseScheme(name, scheme.value));
    if (!nameOfValue.has(scheme.value)) nameOfValue.set(scheme.value, name);
    check(name, scheme, scheme.value);
  };

  /**
   * Reports an unusable `x-access-credential`, and warns where only words name a prefix.
   */
  const check = (name: string, scheme: Node, value: JsonObject): void => {
    const credential = childNode(scheme, 'x-access-credential');
    if (credential.value !== undefined) {
      const { scheme: word, separator = ' ' } = isObject(credential.value) ? credential.value : {};
      if (typeof word !== 'string' || typeof separator !== 'string')
        problems.error(
          credential,
          'x-access-credential must name a scheme',
          "For example {scheme: Token, separator: ' '}.",
        );
      return;
    }
    const said = prefixInWords(value);
    if (said === undefined) return;
    const [prefix, where] = said;
    problems.warn(
      scheme,
      `security scheme "${name}" puts the prefix ${prefix} before the key in its ${where} alone; the key is sent so`,
      `Add x-access-credential: {scheme: ${prefix}, separator: ' '} to it, or {scheme: '', separator: ''} for a key without a prefix; an overlay can do it.`,
    );
  };

  for (const [name, written] of memberNodes(nodeAt(root, ['components', 'securitySchemes'])))
    declare(name, references.resolve(written));
  return {
    get names(): readonly string[] {
      return [...byName.keys()];
    },
    get,
    nameOf,
  };
};

export type DeclaredSchemes = ReturnType<typeof readDeclaredSchemes>;

/** Which setting holds the key of each security scheme. */

/** Settings that are no key of a scheme. */
const reserved = ['API_KEY_FILE', 'API_KEY_COMMAND'];

export const ownSetting = ({ name }: Pick<SecurityScheme, 'name'>): string => `API_KEY_${upperSnake(name)}`;

/**
 * Assigns a setting to each scheme: its own, `API_KEY` for the only scheme, and `API_KEY` for each
 * scheme without a key of its own.
 * @param given names of the settings that hold a key
 * @param grant tokens are fetched for schemes of OAuth 2.0 without a key
 * @returns the schemes, and the settings that hold a key or will hold a fetched one
 */
export const assignKeySettings = (
  unassigned: readonly UnassignedScheme[],
  given: readonly string[],
  grant: boolean,
): { readonly schemes: readonly SecurityScheme[]; readonly keys: ReadonlySet<string> } => {
  const keys = new Set(given);
  const taken = new Set<string>();
  const isFree = (setting: string): boolean => !taken.has(setting) && !reserved.includes(setting);
  const namedAfter = (scheme: UnassignedScheme): string => {
    const own = ownSetting(scheme);
    let setting = unassigned.length > 1 ? own : 'API_KEY';
    // API_KEY_FILE and API_KEY_COMMAND are other settings, so schemes of these names are numbered.
    for (let number = 2; !isFree(setting); number += 1) setting = `${own}_${number}`;
    if (keys.has(setting)) return setting;
    // Word boundaries in `OAuth2PasswordBearer` are unknown, so underscores are ignored.
    return [...keys].find((key) => isSameSetting(key, own) && isFree(key)) ?? setting;
  };
  const areAlike = unassigned.every((one) => unassigned.every((other) => sentAlike(one, other)));
  const schemes = unassigned.map((scheme): SecurityScheme => {
    const own = namedAfter(scheme);
    if (grant && scheme.oauth) keys.add(own);
    // API_KEY is used for each scheme without its own key. If the schemes send it differently,
    // this is a guess.
    const isShared = !keys.has(own) && keys.has('API_KEY') && (areAlike || scheme.encoding === 'plain');
    const setting = isShared ? 'API_KEY' : own;
    taken.add(setting);
    return { ...scheme, setting, ...(isShared && !areAlike ? { guessed: true as const } : {}) };
  });
  return { schemes, keys };
};
