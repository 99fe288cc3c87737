import type { Cause, CauseId } from './causes.js';

/** How bad a cause is, worst first, with the sentence that explains it. */
export const severities = [
  { severity: 'open', meaning: 'Data is open to anybody.' },
  { severity: 'exposed', meaning: 'A key or a session is exposed.' },
  { severity: 'bypassed', meaning: 'The check of the key can be gone round.' },
  { severity: 'form', meaning: 'A request of the contract’s form is not served as the contract says.' },
  { severity: 'document', meaning: 'An answer differs from the document.' },
  { severity: 'unjudged', meaning: 'Something could not be judged.' },
] as const;

export type Severity = (typeof severities)[number]['severity'];

/**
 * A finding as a sentence without a full stop: `{operation} opens without a key`. `{operation}`
 * and `{operations}` stand for what it is about, `{way}` for the request that shows it.
 */
export interface Headline {
  readonly severity: Severity;
  readonly one: string;
  /** Of several operations; absent where the sentence names none. */
  readonly many?: string;
}

/** A headline whose subject is the operation: `about('open', 'opens/open without a key')`. */
export const about = (severity: Severity, predicate: string): Headline => {
  const [verb = '', ...rest] = predicate.split(' ');
  const [one = '', many = one] = verb.split('/');
  return {
    severity,
    one: ['{operation}', one, ...rest].join(' '),
    many: ['{operations}', many, ...rest].join(' '),
  };
};

/** A headline about the whole service. */
const ofAll = (severity: Severity, one: string): Headline => ({ severity, one });

/** A headline with the operations behind its words. */
const behind = (severity: Severity, words: string): Headline => ({
  severity,
  one: `${words} {operation}`,
  many: `${words} {operations}`,
});

/** What the ids of causes say in headlines. Values are those of the cause, in its order. */
const headlines: Readonly<Record<CauseId, (values: readonly string[]) => Headline>> = {
  'run-stopped': () => ofAll('unjudged', 'The run was stopped'),
  'suite-fault': () => ofAll('unjudged', 'The suite itself failed'),
  'not-recorded': () => ofAll('unjudged', 'The recording lacks answers that today’s rules ask for'),
  'not-probed': () => about('unjudged', 'was/were not asked'),
  'rests-on-check': () => ofAll('unjudged', 'Another check did not pass'),
  'no-key': ([setting = '']) =>
    ofAll('unjudged', setting === '' ? 'No key was given' : `No key was given (${setting})`),
  'key-not-assigned': ([scheme = '']) => ofAll('unjudged', `API_KEY may not be the key of “${scheme}”`),
  'key-in-url': () => ofAll('unjudged', 'The key travels in the URL, where it is not sent unasked'),
  'no-path': ([setting = '']) => about('unjudged', `has/have no value that names something (${setting})`),
  'no-value': () => about('unjudged', 'has/have no value for a parameter'),
  'nothing-to-send': () => about('unjudged', 'leaves/leave nothing to send'),
  'http-base-url-unknown': () => ofAll('unjudged', 'It is not known where plain HTTP would be (HTTP_BASE_URL)'),
  'certificate-not-judged': () => ofAll('unjudged', 'The certificate was not judged'),
  'no-answer': ([code = '']) => ofAll('unjudged', `No answer came${code === '' ? '' : ` (${code})`}`),
  'not-reached': ([, , code = '']) =>
    ofAll('unjudged', `Plain HTTP could not be reached from here${code === '' ? '' : ` (${code})`}`),
  'rate-limit': () => ofAll('unjudged', 'The service limits the rate of requests (429)'),
  'server-error': ([status = '5xx']) => about('unjudged', `fails/fail with a server error (${status})`),
  'nothing-to-compare': () => about('unjudged', 'has/have no answer to compare with'),
  'control-unusable': () => about('unjudged', 'gives/give the key nothing that answers could be compared with'),
  'key-no-longer-opens': () => about('unjudged', 'no/no longer opened with the key'),
  'key-ended': ([setting = '', at = '']) => ofAll('unjudged', `The key ended at ${at} (${setting})`),
  'changes-between-tries': () => about('unjudged', 'answered/answered two equal requests differently'),
  'unclear-answer': () => about('unjudged', 'gives/give an answer that is neither granted nor refused'),
  'answered-like-nothing': ([status = '']) =>
    about('unjudged', `is/are answered like a path that does not exist${/^\d+$/.test(status) ? ` (${status})` : ''}`),
  'redirects-elsewhere': () => about('unjudged', 'redirects/redirect elsewhere'),
  'status-not-about-key': ([status = '']) =>
    about('unjudged', `is/are answered with ${status}, which says nothing of the key`),
  'untrusted-certificate': () => ofAll('unjudged', 'The issuer of the certificate is not known here'),
  'bad-certificate': () => ofAll('exposed', 'The certificate is not valid for this service'),
  'served-over-plain-http': ([kind]) =>
    behind('exposed', kind === 'served' ? 'Plain HTTP serves' : 'The API answers over plain HTTP for'),
  'answers-everybody': ([status = '']) =>
    about('unjudged', `answers/answer ${status} to everybody: public, or open by mistake?`),
  'opens-without-key': () => about('open', 'opens/open without a key'),
  'opens-by-now': () => about('exposed', 'opens/open without a key after requests with it'),
  'opens-by-bypass': () => about('bypassed', 'opens/open without the key: {way}'),
  'takes-other-shapes': () => about('form', 'also takes/take {way}'),
  'key-refused': ([status = '']) => about('unjudged', `refuses/refuse the key${status === '' ? '' : ` (${status})`}`),
  'key-opens-nothing': () => about('unjudged', 'does/do not open with the key'),
  'needs-several-keys': () => about('form', 'needs/need more keys than the document says'),
  'nothing-at-path': ([status = '']) => about('form', `is/are not at the documented path (${status})`),
  'answers-elsewhere': ([words = '']) => about('form', `answers/answer at ${words}, not at the documented path`),
  'needs-other-version': ([words = '']) => about('form', `opens/open only with the version in ${words}`),
  'needs-other-method': ([method = '']) => about('form', `does/do not allow ${method} (405)`),
  'needs-other-place': ([words = '']) => about('form', `takes/take the key as ${words}, not where the document says`),
  'needs-other-format': ([words = '']) => about('form', `takes/take the key as ${words}, not as documented`),
  'refused-though-public': ([status = '']) => about('form', `is/are refused without a key (${status}), though public`),
  'withheld-without-key': () => about('form', 'opens/open with a key alone, though public'),
  'undocumented-answer': ([status = '']) =>
    about('unjudged', `gives/give no answer that the document describes (${status})`),
  'undocumented-status': ([status = '']) =>
    about('document', `answers/answer with ${status}, which the document does not list`),
  'undocumented-body': () => about('document', 'answers/answer with a body that the document does not describe'),
  'body-not-compared': () => about('unjudged', 'gives/give a body that could not be compared with the document'),
  'page-not-seen': () => ofAll('unjudged', 'The key page was not seen'),
  'page-stopped': () => ofAll('unjudged', 'The visit of the key page was stopped'),
  'page-action': () => ofAll('form', 'The key page makes no key that works'),
  'page-key': () => ofAll('form', 'The key page does not show the current key'),
  'page-message': () => ofAll('form', 'The key page does not say that no key exists yet'),
};

const isShipped = (id: Cause['id']): id is CauseId => Object.hasOwn(headlines, id);

interface Titled {
  readonly title: string;
  readonly headline?: (cause: Cause) => Headline | undefined;
}

/**
 * The headline of a finding that somebody may have to do something about: the rule's own, or the
 * one of its cause. `undefined` for other outcomes.
 */
export const headlineOf = (
  { title, headline }: Titled,
  { outcome, cause }: { readonly outcome: string; readonly cause?: Cause },
): Headline | undefined => {
  if (outcome !== 'failed' && outcome !== 'lenient' && outcome !== 'inconclusive') return undefined;
  const fallback = about(outcome === 'inconclusive' ? 'unjudged' : 'form', `does/do not keep “${title}”`);
  if (!cause) return fallback;
  const shipped = isShipped(cause.id) ? headlines[cause.id](cause.values ?? []) : fallback;
  if (outcome === 'inconclusive') return { ...shipped, severity: 'unjudged' };
  return headline?.(cause) ?? shipped;
};
