/** What rules may know about a key. They never get the key itself. */
export interface KeyTraits {
  /** The key has letters of both cases, so that swapping the case makes another key. */
  readonly mixesCase: boolean;
  /** The key has three parts, the last of which is a signature. */
  readonly signed?: boolean;
  /** The key had expired by its own `exp` (RFC 7519) before the run began. */
  readonly ended?: true;
}

/** A parameter value of an identity's own, used in place of the contract's value. */
export interface OwnValue {
  /** The placeholder in the contract that it replaces: `<ID_1>`. */
  readonly of: string;
  /** Its own placeholder: `<ID_1_OF_MEMBER>`, or `<ID_OF_MEMBER>` for what `owns` says. */
  readonly placeholder: string;
  /**
   * The operation whose answer had the value, and a JSON Pointer into that answer. Absent for what
   * `owns` says.
   */
  readonly operation?: string;
  readonly pointer?: string;
}

export interface KeyHolder {
  readonly name: string;
  /** Settings of keys by security scheme. Absent for the holder of the contract's own. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Scopes or roles that it holds. Absent if not known. */
  readonly scopes?: readonly string[];
  /** Names of identities with equal rights and another account. */
  readonly peers: readonly string[];
  /** Salted digest of the value that identifies it as the owner of rows, as in body shapes. */
  readonly owns?: string;
  /** Whether that value is a whole number. */
  readonly ownsNumber?: true;
  /** Its own parameter values. Absent if none were found. */
  readonly values?: readonly OwnValue[];
}

/** What rules may know about the deployment. */
export interface Deployment {
  /** `https://host[:port]` */
  readonly origin: string;
  /** `''` or `/sub/path`. */
  readonly basePath: string;
  /** Base URL of the plain-HTTP side; `'none'`; or `null` if not known. */
  readonly httpBaseUrl: string | null;
  /** Traits by setting name. A setting without a key is absent. */
  readonly keys: Readonly<Record<string, KeyTraits>>;
  /** The identities of IDENTITIES. Absent if none were given. */
  readonly identities?: readonly KeyHolder[] | undefined;
  readonly probes: 'standard' | 'extended';
  readonly probeKeyInUrl: boolean;
  readonly insecureTls: boolean;
  /** Only a part of the contract is judged. Other operations are not asked. */
  readonly isPart?: boolean | undefined;
  /** CA_FILE names additional certificate authorities. */
  readonly caFile?: boolean;
  /** Seed of the random parts of requests. It is recorded, so that a run can be judged again. */
  readonly seed: string;
  /** When certificates are judged, in milliseconds since 1970. Default: now. */
  readonly at?: number;
}
