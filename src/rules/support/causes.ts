/**
 * Why a check did not simply pass, as an id that code may use and reports group by. `reason` says
 * the same to people and must not be parsed.
 */
export interface Cause {
  readonly id: CauseId | OwnCauseId;
  /**
   * Distinguishes findings of one cause, such as a setting or a status. Findings with equal values
   * say the same.
   */
  readonly values?: readonly string[];
  /** Requests that show the finding, each alone. Findings that share one have the same cause. */
  readonly ways?: readonly string[];
}

/** Causes of rules that are not shipped with the suite. */
export type OwnCauseId = `x-${string}`;

/** The ids are in `results.json`: new ones may be added, and their meaning must not change. */
export type CauseId =
  // The run itself.
  | 'run-stopped'
  | 'suite-fault'
  | 'budget'
  | 'not-recorded'
  | 'not-probed'
  | 'rests-on-check'
  // Something was not given, or may not be sent.
  | 'no-key'
  | 'no-key-documented'
  | 'key-not-assigned'
  | 'key-in-url'
  | 'no-path'
  | 'no-value'
  | 'nothing-to-send'
  | 'http-base-url-unknown'
  | 'certificate-not-judged'
  // Answers that show nothing.
  | 'no-answer'
  | 'not-reached'
  | 'rate-limit'
  | 'server-error'
  | 'nothing-to-compare'
  | 'control-unusable'
  | 'key-no-longer-opens'
  | 'client-refused'
  | 'key-ended'
  | 'changes-between-tries'
  | 'unclear-answer'
  | 'answered-like-nothing'
  | 'redirects-elsewhere'
  | 'redirects-to-itself'
  | 'status-not-about-key'
  | 'needs-field'
  // How a check passed.
  | 'refusal-alone'
  // What was seen.
  | 'untrusted-certificate'
  | 'bad-certificate'
  | 'served-over-plain-http'
  | 'opens-without-key'
  | 'answers-everybody'
  | 'opens-by-now'
  | 'opens-now-and-then'
  | 'gives-the-key'
  | 'opens-by-bypass'
  | 'takes-other-shapes'
  | 'key-refused'
  | 'key-opens-nothing'
  | 'needs-several-keys'
  | 'opens-to-other-scopes'
  | 'refused-to-holder'
  | 'opens-to-peer'
  | 'identity-opens-nothing'
  | 'no-own-value'
  | 'rows-in-both-lists'
  | 'nothing-at-path'
  | 'answers-elsewhere'
  | 'needs-other-version'
  | 'needs-other-method'
  | 'needs-other-place'
  | 'needs-other-format'
  | 'refused-though-public'
  | 'withheld-without-key'
  | 'undocumented-answer'
  | 'undocumented-status'
  | 'undocumented-body'
  | 'body-not-compared'
  | 'page-not-seen'
  | 'page-stopped'
  | 'page-action'
  | 'page-key'
  | 'page-message';
