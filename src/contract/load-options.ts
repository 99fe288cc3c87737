/** UNSTATED: the access of operations for which the document has no `security`. */
export type Unstated = 'ask' | 'public' | 'protected';

/** What a contract is loaded with beside its document. */
export interface LoadOptions {
  /** OVERLAY: overlay files, applied in order, separated by commas. */
  readonly overlay?: string | undefined;
  /** REF_ROOT: the folder that every file of a `$ref` must be in; the document's when absent. */
  readonly refRoot?: string | undefined;
  /** Values of settings that replace an assumed path: `{ EXERCISE_PATH: '/api/v2/exercise/' }`. */
  readonly paths?: Readonly<Record<string, string>> | undefined;
  /** PARAMETERS: a YAML or JSON file, operation id or parameter name → value. */
  readonly parameters?: string | undefined;
  readonly unsafeMethods?: boolean | undefined;
  /** IDENTITIES was given: clauses on several holders of keys can be judged. */
  readonly identities?: boolean | undefined;
  /** UNSTATED; `ask` when absent. */
  readonly unstated?: Unstated | undefined;
  /** Names of settings that hold a key. The first alternative whose keys are all set is used. */
  readonly keys?: readonly string[] | undefined;
  /** Tokens are fetched for schemes of OAuth 2.0 and OpenID Connect without a key. */
  readonly grant?: boolean | undefined;
  /** CLIENT_CERT_FILE is given: every connection shows a client certificate. */
  readonly certificate?: boolean | undefined;
}
