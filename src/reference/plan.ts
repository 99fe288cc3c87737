import type { SecureContextOptions } from 'node:tls';
import type { Behaviour, Twist } from './behaviour.js';
import type { CertificateKind } from './certificates.js';

/** A way to break exactly one thing. */
export interface Fault {
  readonly name: string;
  /** One sentence: what the server does wrong. */
  readonly title: string;
  /** Exactly these clauses come out failed; none where it cannot be decided. */
  readonly clauses: readonly string[];
  /** Rule ids that fail for sure; others of the same clauses may fail too. */
  readonly checks: readonly string[];
  /** The conforming server that answers the same: the run is incomplete, and never conformant. */
  readonly twin?: string;
  /** Settings that a run needs besides base URL, key and CA file. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Cannot be shown on a machine without it. */
  readonly needs?: 'ipv6';
}

/** A way to be different and keep the contract, or to be impossible to judge. */
export interface Variant {
  readonly name: string;
  readonly title: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** `conformant` where not said. */
  readonly verdict?: 'conformant' | 'incomplete';
  /** Rule id → outcome, where one is worth pinning. */
  readonly outcomes?: Readonly<Record<string, string>>;
  /** Cannot be shown on a machine without it. */
  readonly needs?: 'ipv6';
}

/** What a service is made of beside the conforming behaviour. */
export interface Make {
  readonly twist?: Twist;
  readonly certificate?: CertificateKind;
  /** Makes the key; 40 hex digits where absent. */
  readonly makeKey?: () => string;
  readonly basePath?: string;
  /** What ALPN offers, first one first. */
  readonly protocols?: readonly ('h2' | 'http/1.1')[];
  readonly tls?: SecureContextOptions;
  /** Milliseconds that an idle connection is kept; a minute where absent. */
  readonly keepAliveMs?: number;
  /** The host is named, and has a second, IPv6 address: what is answered there. */
  readonly overIpv6?: (behaviour: Behaviour) => Pick<Behaviour, 'answer' | 'plain'>;
  /** `none`: no plain-HTTP side at all; `closed`: its port is known and nobody listens there. */
  readonly plainPort?: 'none' | 'closed';
  /** Answers plain HTTP that reaches the TLS port; without it such a connection is closed. */
  readonly plainOnTlsPort?: (behaviour: Behaviour) => Behaviour['plain'];
}

export type FaultPlan = Fault & Make;
export type VariantPlan = Variant & Make;
