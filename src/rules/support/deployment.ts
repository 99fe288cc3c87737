/** What rules may know of a key: never the key. */
export interface KeyTraits {
  /** Both upper-case and lower-case letters: flipping the case makes another key. */
  readonly mixesCase: boolean;
  /** Three parts, the last of them a signature. */
  readonly signed?: boolean;
  /** It had ended by its own word (`exp`, RFC 7519) before the run began. */
  readonly ended?: true;
}

/** A value that was read in an identity's own answers, in the place of one of the contract. */
export interface OwnValue {
  /** The placeholder of the contract that it takes the place of: `<ID_1>`. */
  readonly of: string;
  /** Its own: `<ID_1_OF_MEMBER>`. */
  readonly placeholder: string;
  /** Id of the operation whose answer held it, and JSON Pointer into that answer. */
  readonly operation: string;
  readonly pointer: string;
}

/** One who holds keys. */
export interface KeyHolder {
  readonly name: string;
  /**
   * Security scheme → setting of its key; absent for the holder of the settings of the contract.
   */
  readonly keys?: Readonly<Record<string, string>>;
  /** Scopes or roles that it holds; absent: not known. */
  readonly scopes?: readonly string[];
  /** Names of those with the same rights and another account. */
  readonly peers: readonly string[];
  /**
   * Salted digest of the value by which rows name it as their owner, as shapes of bodies have it.
   */
  readonly owns?: string;
  /** Values of parameters that are its own; absent where none were found. */
  readonly values?: readonly OwnValue[];
}

/** What rules may know of the deployment. */
export interface Deployment {
  /** `https://host[:port]` */
  readonly origin: string;
  /** `''` or `/sub/path`. */
  readonly basePath: string;
  /** Base URL of the plain-HTTP side, `'none'`, or `null` when not said. */
  readonly httpBaseUrl: string | null;
  /** Traits by setting name. A setting without a key is absent. */
  readonly keys: Readonly<Record<string, KeyTraits>>;
  /** Those of IDENTITIES; absent where none were given. */
  readonly identities?: readonly KeyHolder[];
  readonly probes: 'standard' | 'extended';
  readonly probeKeyInUrl: boolean;
  readonly insecureTls: boolean;
  /** Only a part of the contract is judged (`--only`, a shard). Other operations are not asked. */
  readonly isPart?: boolean;
  /** Whether CA_FILE names authorities beside those of the system. */
  readonly caFile?: boolean;
  /** Seed of the random parts of probes. It is kept, so that a recorded run can be judged again. */
  readonly seed: string;
  /**
   * The time as of which certificates are judged, in milliseconds since 1970; now when absent. A
   * recorded run is judged as of its own day.
   */
  readonly at?: number;
}
