import type { SecureContextOptions } from 'node:tls';
import { nearestName } from '../names.js';
import { type Behaviour, type Override, openedAs, type Page, type Resource, type ServiceContext } from './behaviour.js';
import type { CertificateKind } from './certificates.js';
import { type Answer, type Call, json } from './messages.js';

/** A deviation that breaks exactly one requirement. */
export interface Fault {
  readonly name: string;
  /** One sentence: what the server does wrong. */
  readonly title: string;
  /** The clauses that fail, and no others; empty where it cannot be decided. */
  readonly clauses: readonly string[];
  /** Ids of rules that must fail. Other rules of the same clauses may fail too. */
  readonly checks: readonly string[];
  /**
   * Name or description of a conforming server with the same answers. The run is then incomplete,
   * never conformant.
   */
  readonly twin?: string;
  /** Settings that a run needs beside base URL, key and CA file. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Requires a machine with IPv6. */
  readonly needs?: 'ipv6';
  /** What a request without a key has to add to get somebody's workouts. */
  readonly shownBy?: { readonly headers?: Readonly<Record<string, string>>; readonly query?: string };
}

/** A server that keeps the contract in another way, or one that cannot be judged. */
export interface Variant extends Pick<Fault, 'name' | 'title' | 'settings' | 'needs'> {
  /** Default: `conformant`. */
  readonly verdict?: 'conformant' | 'incomplete';
  /** Rule id → expected outcome. */
  readonly outcomes?: Readonly<Record<string, string>>;
}

/** How a service differs from the conforming one. */
export interface ServiceChanges {
  readonly override?: Override;
  readonly certificate?: CertificateKind;
  /** Creates the key. Default: 40 hex digits. */
  readonly makeKey?: () => string;
  readonly basePath?: string;
  /** Protocols offered by ALPN, in order of preference. */
  readonly protocols?: readonly ('h2' | 'http/1.1')[];
  readonly tls?: SecureContextOptions;
  /** Milliseconds after which idle connections are closed. Default: 60,000. */
  readonly keepAliveMs?: number;
  /** Adds an IPv6 address to the host, and returns how it answers there. */
  readonly overIpv6?: (behaviour: Behaviour) => Pick<Behaviour, 'answer' | 'plain'>;
  /** `none`: there is no plain HTTP port. `closed`: nothing listens on the port. */
  readonly plainPort?: 'none' | 'closed';
  /** Plain HTTP takes HTTP/2 by prior knowledge too. */
  readonly plainHttp2?: true;
  /** Answers plain HTTP on the TLS port; without it, such connections are closed. */
  readonly plainOnTlsPort?: (behaviour: Behaviour) => Behaviour['plain'];
}

export type VariantDefinition = Variant & ServiceChanges;

export interface FaultDefinition extends Fault, ServiceChanges {
  /** A conforming server that resembles the fault, added to the variants. */
  readonly counterpart?: VariantDefinition;
}

/** A definition without its name, which is its key in a table. */
export type Unnamed<T> = Omit<T, 'name'>;

/** The definitions of a table with their names, in order. */
export const withNames = <T>(
  table: Readonly<Record<string, Unnamed<T>>>,
): readonly (Unnamed<T> & { readonly name: string })[] =>
  Object.entries(table).map(([name, definition]) => ({ ...definition, name }));

/**
 * Returns a function that defines faults which break one clause and must fail one rule.
 * @typeParam O what changes the service
 */
export const faultsOf =
  <O = Override>(clause: string, rule: string) =>
  (title: string, override: O, more: Partial<Omit<FaultDefinition, 'override'>> = {}) => ({
    title,
    clauses: [clause],
    checks: [rule],
    override,
    ...more,
  });

/**
 * Finds an entry by its name.
 * @throws RangeError that suggests the nearest name
 */
export const byName = <T extends { readonly name: string }>(kind: string, entries: readonly T[], name: string): T => {
  const found = entries.find((entry) => entry.name === name);
  if (found) return found;
  const meant = nearestName(name, entries);
  throw new RangeError(`no ${kind} is named "${name}"${meant === undefined ? '' : `; did you mean ${meant}?`}`);
};

/** Helpers to define variants. */

export const variant = (
  title: string,
  override: Override,
  more: Partial<VariantDefinition> = {},
): Unnamed<VariantDefinition> => ({
  title,
  override,
  ...more,
});

/** A variant that refuses with this answer. */
export const refusing = (
  title: string,
  refuse: (call: Call, service: ServiceContext, resource: Resource) => Answer,
): Unnamed<VariantDefinition> =>
  variant(title, (_, service) => ({ refuse: (call, resource) => refuse(call, service, resource) }));

/** A variant that renders every answer with status 200 in another form. */
export const showing = (title: string, show: Show): Unnamed<VariantDefinition> => variant(title, shownAs(show));

type Show = (page: Page, call: Call, resource: Resource, answer: Answer) => Answer | object;

export const shownAs = (show: Show): Override =>
  openedAs((answer, call, resource) => {
    const shown = show(JSON.parse(answer.body.toString()) as Page, call, resource, answer);
    return 'status' in shown && 'body' in shown ? (shown as Answer) : json(200, shown, answer.headers.slice(1));
  });

/** Combines overrides, applied in order. */
export const combine =
  (...overrides: readonly Override[]): Override =>
  (base, service) => {
    const all: ReturnType<Override> = {};
    for (const override of overrides) Object.assign(all, override({ ...base, ...all }, service));
    return all;
  };
