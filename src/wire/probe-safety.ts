import { token } from '../names.js';
import { urlIn } from '../urls.js';
import { cookiePlaceholder, visitorPlaceholder } from './cookies.js';
import type { KeyRing } from './keyring.js';
import type { Probe } from './types.js';

/** A probe that must not be sent. `Wire.send` rejects only with this error or a MissingKeyError. */
export class UnsafeProbeError extends Error {
  override readonly name = 'UnsafeProbeError';
  constructor(probe: Probe, why: string) {
    super(`the probe "${probe.name}" of ${probe.operation} is not sent: ${why}`);
  }
}

export interface SafetyRules {
  /** The target's origin, to which alone keys are sent. */
  readonly origin: string;
  readonly keys: KeyRing;
  readonly probeKeyInUrl: boolean;
  readonly unsafeMethods: boolean;
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Whether a method is safe (RFC 9110, section 9.2.1) and supported by this client. */
export const isSafeMethod = (method: string): boolean => safeMethods.has(method.toUpperCase());

const overriding = /^x-(?:http-)?method(?:-override)?$/i;
const overridingParameter = /[?&](?:_method|_httpmethod|x-http-method-override)=([^&]*)/gi;

const authorityOf = (target: string): string | undefined => /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];

const sameAuthority = (authority: string, origin: string): boolean => {
  const normal = (text: string): string => urlIn(`https://${text}`)?.host ?? text.toLowerCase();
  return normal(authority) === normal(origin.replace(/^https?:\/\//, ''));
};

/** All methods of a request: its own, and overrides in fields and query. */
const methodsOf = ({ method, headers, target }: Probe): string[] => {
  const methods = [method.toUpperCase()];
  for (const field of headers) if (overriding.test(field[0])) methods.push(field[1].trim().toUpperCase());
  // matchAll recompiles its expression, and few targets have a parameter.
  if (target.includes('='))
    for (const [, value = ''] of target.matchAll(overridingParameter)) methods.push(value.toUpperCase());
  return methods;
};

export interface CarriedCredentials {
  /** Whether it carries a whole key. */
  readonly key: boolean;
  /** Settings of the whole keys that it carries, joined by spaces; `''` without any. */
  readonly holder: string;
  /** Whether it carries a whole key, or a part or altered copy of one. */
  readonly madeOfKey: boolean;
  /** Whether it carries cookies that a response set. */
  readonly cookies: boolean;
}

/**
 * Enforces the safety rules: no key over plain HTTP, to another origin or in a URL; no unsafe
 * methods.
 * @returns the credentials of the request
 * @throws UnsafeProbeError
 */
export const checkSafety = (probe: Probe, rules: SafetyRules): CarriedCredentials => {
  const refuse = (why: string): never => {
    throw new UnsafeProbeError(probe, why);
  };
  const { keys } = rules;
  const holders: string[] = [];
  let madeOfKey = false;
  const search = (text: string): void => {
    const found = keys.realKeysIn(text);
    if (found.length > 0) holders.push(...found);
    madeOfKey ||= found.length > 0 || keys.isMadeOfKey(text);
  };
  search(probe.target);
  const inTarget = holders.length > 0;
  let cookies = false;
  for (const field of probe.headers) {
    search(field[0]);
    search(field[1]);
    cookies ||= field[1].includes(cookiePlaceholder) || field[1].includes(visitorPlaceholder);
  }
  const key = holders.length > 0;
  if (!/^https?:\/\/[^/?#\s]+$/.test(probe.origin)) refuse(`${probe.origin} is no origin`);
  if (!token.test(probe.method)) refuse('its method is no token');
  if (!/^[\x21-\x7e\u0080-\uffff]+$/.test(probe.target)) refuse('its target has white space or control characters');
  for (const field of probe.headers) {
    if (!token.test(field[0])) refuse('a header field name is no token');
    if (/[\0-\x08\n-\x1f\x7f]/.test(field[1])) refuse(`${field[0]} has control characters`);
  }
  const unsafe = methodsOf(probe).find((method) => !safeMethods.has(method));
  if (unsafe !== undefined) {
    if (!rules.unsafeMethods) refuse(`${unsafe} may change something; UNSAFE_METHODS=true allows it`);
    if (key || cookies) refuse(`${unsafe} may change something, and it carries a key`);
  }
  if (key || cookies) {
    if (!probe.origin.startsWith('https://')) refuse('a key never travels over plain HTTP');
    if (probe.origin !== rules.origin) refuse(`a key never travels to another origin than ${rules.origin}`);
    const elsewhere = [
      authorityOf(probe.target),
      ...probe.headers.filter(([name]) => name.toLowerCase() === 'host').map(([, value]) => value.trim()),
    ].find((authority) => authority !== undefined && !sameAuthority(authority, rules.origin));
    if (elsewhere !== undefined) refuse('a key never travels in a request for another host');
    if (inTarget && !rules.probeKeyInUrl) refuse('a key never travels in a URL; PROBE_KEY_IN_URL=true allows it');
  }
  return { key, holder: key ? [...new Set(holders)].sort().join(' ') : '', madeOfKey, cookies };
};
