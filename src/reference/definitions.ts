import type { SecureContextOptions } from 'node:tls';
import { nearestName } from '../did-you-mean.js';
import type { Behaviour, Override } from './behaviour.js';
import type { CertificateKind } from './certificates.js';

/** A way to break exactly one thing. */
export interface Fault {
  readonly name: string;
  /** One sentence: what the server does wrong. */
  readonly title: string;
  /** Exactly these clauses fail; none where it cannot be decided. */
  readonly clauses: readonly string[];
  /** Ids of rules that must fail. Others of the same clauses may fail too. */
  readonly checks: readonly string[];
  /**
   * A conforming server that gives the same answers. The run is then incomplete, never conformant.
   */
  readonly twin?: string;
  /** Settings that a run needs in addition to base URL, key and CA file. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Cannot be shown on a machine without it. */
  readonly needs?: 'ipv6';
  /** What a GET without a key adds to be answered with somebody's workouts. */
  readonly shownBy?: { readonly headers?: Readonly<Record<string, string>>; readonly query?: string };
}

/** Another way to keep the contract, or a server that cannot be judged. */
export interface Variant {
  readonly name: string;
  readonly title: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Default: `conformant`. */
  readonly verdict?: 'conformant' | 'incomplete';
  /** Rule id → expected outcome. */
  readonly outcomes?: Readonly<Record<string, string>>;
  /** Cannot be shown on a machine without it. */
  readonly needs?: 'ipv6';
}

/** How a service differs from the conforming one. */
export interface ServiceChanges {
  readonly override?: Override;
  readonly certificate?: CertificateKind;
  /** Makes the key. Default: 40 hex digits. */
  readonly makeKey?: () => string;
  readonly basePath?: string;
  /** Protocols offered by ALPN, in order of preference. */
  readonly protocols?: readonly ('h2' | 'http/1.1')[];
  readonly tls?: SecureContextOptions;
  /** Milliseconds that an idle connection is kept open. Default: 60,000. */
  readonly keepAliveMs?: number;
  /** Gives the host a second, IPv6 address: its answers there. */
  readonly overIpv6?: (behaviour: Behaviour) => Pick<Behaviour, 'answer' | 'plain'>;
  /** `none`: no plain-HTTP port. `closed`: the port is known, but nothing listens there. */
  readonly plainPort?: 'none' | 'closed';
  /** Answers plain HTTP on the TLS port. Without it, such connections are closed. */
  readonly plainOnTlsPort?: (behaviour: Behaviour) => Behaviour['plain'];
}

export type VariantDefinition = Variant & ServiceChanges;

export interface FaultDefinition extends Fault, ServiceChanges {
  /** A conforming server that a careless rule would take for this fault: one more variant. */
  readonly counterpart?: VariantDefinition;
}

/** A definition as a table has it, by its name. */
export type Unnamed<T> = Omit<T, 'name'>;

/** The definitions of a table, in its order. */
export const named = <T>(
  table: Readonly<Record<string, Unnamed<T>>>,
): readonly (Unnamed<T> & { readonly name: string })[] =>
  Object.entries(table).map(([name, definition]) => ({ ...definition, name }));

/** Makes faults that break one clause and that one rule has to see. */
export const faultsOf =
  (clause: string, rule: string) =>
  (title: string, override: Override, more: Partial<FaultDefinition> = {}): Unnamed<FaultDefinition> => ({
    title,
    clauses: [clause],
    checks: [rule],
    override,
    ...more,
  });

/** The entry of that name. @throws RangeError that names the nearest entry, if one is near */
export const byName = <T extends { readonly name: string }>(kind: string, entries: readonly T[], name: string): T => {
  const found = entries.find((entry) => entry.name === name);
  if (found) return found;
  const meant = nearestName(name, entries);
  throw new RangeError(`no ${kind} is named "${name}"${meant === undefined ? '' : `; did you mean ${meant}?`}`);
};
