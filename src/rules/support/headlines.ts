import { namelessSchema } from '../../names.js';
import { authOrProxyStatuses } from '../oracle/answers.js';

/** The causes of findings, and one sentence for each. */

/**
 * Why a check did not simply pass, as an id that code may use and reports group by. `reason` says
 * the same to people and must not be parsed.
 */
export interface Cause {
  readonly id: CauseId | OwnCauseId;
  /** Distinguishes findings of one cause, such as a setting or a status. */
  readonly values?: readonly string[];
  /**
   * The requests that show the finding, each by itself. Findings that share one have the same
   * cause.
   */
  readonly ways?: readonly string[];
}

/** Causes of rules that are not shipped with the suite. */
export type OwnCauseId = `x-${string}`;

/** Severities, worst first, each with a sentence that explains it. */
export const severities = [
  { severity: 'open', meaning: 'Data is open to anybody.' },
  { severity: 'exposed', meaning: 'A key or a session is exposed.' },
  { severity: 'bypassed', meaning: 'The check of the key can be gone round.' },
  { severity: 'form', meaning: 'A request of the contract’s form is not served as the contract says.' },
  { severity: 'document', meaning: 'An answer differs from the document.' },
  { severity: 'suspected', meaning: 'Something may be open to anybody.' },
  { severity: 'unjudged', meaning: 'Something could not be judged.' },
] as const;

export type Severity = (typeof severities)[number]['severity'];

/**
 * A finding as a sentence without a full stop: `{operation} opens without a key`. `{operation}` and
 * `{operations}` stand for the operations, `{way}` for the request that shows it.
 */
export interface Headline {
  readonly severity: Severity;
  readonly one: string;
  /** For several operations. Absent if the sentence names none. */
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

/** The headline of a rule that sends bypasses, for a finding that one opens an operation. */
export const whereBypassOpens =
  (severity: Severity, predicate = 'opens/open to anybody {way}') =>
  ({ id }: Cause): Headline | undefined =>
    id === 'opens-by-bypass' ? about(severity, predicate) : undefined;

/** A headline about the whole service. */
const ofAll = (severity: Severity, one: string): Headline => ({ severity, one });

const ofKeyPage = (failed: boolean, broken: string, asked: string): Headline =>
  ofAll('form', failed ? `The key page ${broken}` : `It was not seen whether the key page ${asked}`);

/** Sentences by error code. */
const noAnswers: Readonly<Record<string, string>> = {
  proxy: 'The proxy does not lead to the deployment',
  refused: 'The connection is refused',
  unreachable: 'The host cannot be reached',
  'connect-timeout': 'No connection is made in time',
  'headers-timeout': 'The connection is taken, and no answer comes',
  reset: 'The connection is closed without an answer',
  tls: 'What takes the connection does not speak TLS as it should',
  'not-http': 'What answers does not speak HTTP',
};

/** Sentences by the error code of Node's TLS. */
const badCertificates: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'The certificate has expired',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet',
  CERT_REVOKED: 'The certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host',
};

/** `#/components/schemas/Room/properties/id/type` → `Room.id`; without a name of its own, `id` */
const nameOfSchema = (place: string): string => {
  const [whole = '', ...path] = place.replace(/^.*?\/components\/schemas\//, '').split('/');
  const name = whole.startsWith(namelessSchema) ? [] : [whole];
  const members = path.flatMap((part, index) =>
    /^(?:properties|required)$/.test(path[index - 1] ?? '') ? [part] : [],
  );
  return [...name, ...members].map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
};

/** @param what a media type, `empty`, or a JSON Pointer into the body */
const unlikeTheDocument = (what: string, schema: string | undefined): string => {
  const name = nameOfSchema(schema ?? '');
  if (name !== '') return `gives/give ${name} otherwise than documented`;
  if (what === 'empty') return 'answers/answer with an empty body, unlike the document';
  return what === '' || what.startsWith('/')
    ? 'answers/answer with a body unlike the document'
    : `answers/answer as ${what}, unlike the document`;
};

/** Makes a headline from the values of a cause, in its order. */
type Headlined = (values: readonly string[], failed: boolean) => Headline;

/** Keeps the ids in the type, and no more. */
const byCause = <Id extends string>(all: Readonly<Record<Id, Headlined>>): Readonly<Record<Id, Headlined>> => all;

/** What an operation does that the key does not open, with the values of `key-refused`. */
const keyRefused = ([status = '', known = '', what]: readonly string[]): string => {
  if (known === 'method') return `refuses/refuse the documented method (${status})`;
  if (known === 'like-keyless')
    return `answers/answer the key like ${what === 'any-key' ? 'a wrong one' : 'no key or a wrong one'} (${status})`;
  if (status === '') return 'refuses/refuse the key';
  // Other statuses may be about the resource and not about the key.
  const refuses = authOrProxyStatuses.has(Number(status));
  return `${refuses ? 'refuses/refuse the key' : 'does/do not open with the key'} (${status})`;
};

const withoutKey = (status: string | undefined): string => (status === undefined ? '' : ` (${status} without a key)`);

/**
 * Headlines by cause. The ids are in `results.json`: new ones may be added, and their meaning must
 * not change.
 */
const headlines = byCause({
  'run-stopped': () => ofAll('unjudged', 'The run was stopped'),
  'service-silent': () => ofAll('unjudged', 'The service stopped answering'),
  budget: () => about('unjudged', 'was/were not asked, since MAX_REQUESTS is too small'),
  'suite-fault': () => ofAll('unjudged', 'The suite itself failed'),
  'not-recorded': () => ofAll('unjudged', 'The recording lacks answers that today’s rules ask for'),
  'not-probed': () => about('unjudged', 'was/were not asked'),
  'rests-on-check': () => ofAll('unjudged', 'Another check did not pass'),
  'no-key': ([setting = '']) =>
    ofAll('unjudged', setting === '' ? 'No key was given' : `No key was given (${setting})`),
  'no-key-documented': ([status = '']) =>
    about('unjudged', `does/do not open without a key (${status}), and the document names none`),
  'key-not-assigned': ([scheme = '', setting = 'API_KEY', other]) =>
    ofAll(
      'unjudged',
      `${setting} ${other === undefined ? `may not be the key of “${scheme}”` : `opens as the key of “${other}”, and not of “${scheme}”`}`,
    ),
  'key-in-url': () => ofAll('unjudged', 'The key travels in the URL, where it is not sent unasked'),
  'no-path': ([setting = '', status = '']) => {
    if (setting === 'BASE_URL') return about('unjudged', 'is/are not found below BASE_URL');
    return status === '400' || status === '422'
      ? about('unjudged', `does/do not take the request with its values (${status})`)
      : about('unjudged', `has/have no value that names something (${setting})`);
  },
  'no-value': ([status]) => about('unjudged', `has/have no value for a parameter${withoutKey(status)}`),
  'only-redirects': ([status]) => about('unjudged', `is/are documented as a redirect alone${withoutKey(status)}`),
  'changes-something': ([status]) => about('unjudged', `may change something, so no key was sent${withoutKey(status)}`),
  'nothing-to-send': () => about('unjudged', 'leaves/leave nothing to send'),
  'http-base-url-unknown': () => ofAll('unjudged', 'It is not known where plain HTTP would be (HTTP_BASE_URL)'),
  'certificate-not-judged': () => ofAll('unjudged', 'The certificate was not judged'),
  'no-answer': ([code = '']) =>
    ofAll('unjudged', noAnswers[code] ?? `No answer came${code === '' ? '' : ` (${code})`}`),
  'not-reached': ([, , code = '']) =>
    ofAll('unjudged', `Plain HTTP could not be reached from here${code === '' ? '' : ` (${code})`}`),
  'rate-limit': () => ofAll('unjudged', 'The service limits the rate of requests (429)'),
  'refusal-alone': () => about('unjudged', 'is/are judged by the refusal alone'),
  'server-error': ([status = '5xx']) => about('unjudged', `fails/fail with a server error (${status})`),
  'nothing-to-compare': () => about('unjudged', 'has/have no answer to compare with'),
  'control-unusable': ([why, code = '']) =>
    about(
      'unjudged',
      why === 'no-answer'
        ? `gives/give the key no answer${code === '' ? '' : ` (${code})`}`
        : 'gives/give the key nothing that answers could be compared with',
    ),
  'client-refused': ([status = '']) => ofAll('unjudged', `The service refuses this client by now (${status})`),
  'key-no-longer-opens': () => about('unjudged', 'stopped/stopped opening with the key'),
  'key-ended': ([setting = '', at = '']) => ofAll('unjudged', `The key ended at ${at} (${setting})`),
  'changes-between-tries': () => about('unjudged', 'answered/answered two equal requests differently'),
  'unclear-answer': () => about('unjudged', 'gives/give an answer that is neither granted nor refused'),
  'answered-like-nothing': ([status = '', where]) =>
    about(
      'unjudged',
      `is/are answered ${where === 'plain' ? 'over plain HTTP as every path is over HTTPS' : 'like a path that does not exist'}${/^\d+$/.test(status) ? ` (${status})` : ''}`,
    ),
  'redirects-elsewhere': () => about('unjudged', 'redirects/redirect elsewhere'),
  'redirects-to-itself': () => about('unjudged', 'redirects/redirect to the same URL again'),
  'needs-field': ([field = '']) => about('unjudged', `opens/open with the key and ${field}, not as documented`),
  'status-not-about-key': ([status = '']) =>
    about('unjudged', `is/are answered with ${status}, which says nothing of the key`),
  'untrusted-certificate': () => ofAll('unjudged', 'The issuer of the certificate is not known here'),
  'unsuitable-certificate': () => ofAll('unjudged', 'A certificate of the chain is not made for servers'),
  'bad-certificate': ([code = '']) => ofAll('exposed', badCertificates[code] ?? 'The certificate is not valid'),
  'served-over-plain-http': ([kind, , words]) => {
    const how = words === undefined ? '' : ` to a request ${words}`;
    return {
      severity: 'exposed',
      one: `Plain HTTP ${kind === 'served' ? 'serves' : 'lets the API answer'} {operation}${how}`,
      many: `Plain HTTP serves the API${how}: {operations}`,
    };
  },
  'answers-everybody': ([status = '']) =>
    about('suspected', `answers/answer ${status} to everybody: public, or open by mistake?`),
  'opens-without-key': () => about('open', 'opens/open without a key'),
  'leaks-in-refusal': ([status = '']) => about('open', `gives/give data in a refusal (${status})`),
  'gives-the-key': ([place = '']) => ofAll('exposed', `A key is given to anybody, in the answer of ${place}`),
  'opens-now-and-then': () => about('open', 'opens/open to anybody now and then'),
  'opens-by-now': () => about('exposed', 'opens/open without a key after other requests'),
  'opens-by-bypass': () => about('bypassed', 'opens/open without the key {way}'),
  'takes-other-shapes': () => about('form', 'takes/take a key in another form too: {way}'),
  'key-refused': (values) => about('unjudged', keyRefused(values)),
  'refusal-kept': ([status = '']) =>
    about('unjudged', `gives/give the key a refusal that a cache may keep (${status})`),
  'key-opens-nothing': () => about('unjudged', 'does/do not open with the key'),
  'needs-several-keys': () => about('form', 'needs/need more keys than the document says'),
  'opens-to-other-scopes': ([names = '']) => ({
    severity: 'bypassed',
    one: `{operation} opens to ${names} without the stated scopes`,
    many: '{operations} open without the stated scopes{way}',
  }),
  'refused-to-holder': ([names = '']) => ({
    severity: 'form',
    one: `{operation} refuses ${names}, who holds the stated scopes`,
    many: '{operations} refuse who holds the stated scopes',
  }),
  'opens-to-peer': ([names = '']) => ({
    severity: 'open',
    one: `{operation} gives ${names} what belongs to another account`,
    many: '{operations} give one account what belongs to another',
  }),
  'identity-opens-nothing': ([name = '']) => ofAll('unjudged', `The key of ${name} opens nothing`),
  'no-own-value': () => about('unjudged', 'has/have no id that is of one identity alone'),
  'rows-of-nobody': ([names = '']) => about('unjudged', `gives/give no rows to ${names}`),
  'rows-in-both-lists': ([names = '']) => about('unjudged', `gives/give ${names} rows that do not say whose they are`),
  'nothing-at-path': ([status = '']) => about('form', `is/are not at the documented path (${status})`),
  'answers-elsewhere': ([words = '']) => about('form', `answers/answer at ${words}, not at the documented path`),
  'needs-other-version': ([words = '']) => about('form', `opens/open only with the version in ${words}`),
  'needs-other-method': ([method = '']) => about('form', `does/do not allow ${method} (405)`),
  'needs-other-place': ([words = '']) => about('form', `takes/take the key as ${words}, not where the document says`),
  'needs-other-format': ([words = '']) => about('form', `takes/take the key as ${words}, not as documented`),
  'refused-though-public': ([status = '']) => about('form', `is/are refused without a key (${status}), though public`),
  'withheld-without-key': (_, failed) =>
    failed
      ? about('form', 'needs/need a key, though public')
      : about('unjudged', 'gives/give more to a client with a key'),
  'undocumented-answer': ([status = '']) =>
    about('unjudged', `gives/give no answer that the document describes (${status})`),
  'undocumented-status': ([status = '']) =>
    about('document', `answers/answer with ${status}, which the document does not list`),
  'undocumented-body': ([what = '', , schema, kind]) =>
    about(
      'document',
      kind === 'null' ? 'gives/give null where the document does not allow it' : unlikeTheDocument(what, schema),
    ),
  'body-not-compared': () => about('unjudged', 'gives/give a body that could not be compared with the document'),
  'page-not-seen': () => ofAll('unjudged', 'The key page was not seen'),
  'page-stopped': () => ofAll('unjudged', 'The visit of the key page was stopped'),
  'page-action': (_, failed) => ofKeyPage(failed, 'makes no key that works', 'makes a key'),
  'page-key': (_, failed) => ofKeyPage(failed, 'does not show the current key', 'shows the current key'),
  'page-message': (_, failed) =>
    ofKeyPage(failed, 'does not say that no key exists yet', 'says when no key exists yet'),
});

export type CauseId = keyof typeof headlines;

/** The headline of a finding without a known cause: it names the requirement. */
export const withoutCause = (title: string, outcome: string): Headline =>
  outcome === 'failed' || outcome === 'lenient'
    ? about('form', `breaks/break “${title}”`)
    : about('unjudged', 'could/could not be judged');

const isShipped = (id: Cause['id']): id is CauseId => Object.hasOwn(headlines, id);

/** The headline of a finding that may need action: the rule's own, or its cause's. */
export const headlineOf = (
  { title, headline }: { readonly title: string; readonly headline?: (cause: Cause) => Headline | undefined },
  { outcome, cause }: { readonly outcome: string; readonly cause?: Cause },
): Headline | undefined => {
  if (outcome !== 'failed' && outcome !== 'lenient' && outcome !== 'inconclusive') return undefined;
  const fallback = withoutCause(title, outcome);
  if (!cause) return fallback;
  const headlined: Headlined | undefined = isShipped(cause.id) ? headlines[cause.id] : undefined;
  const shipped = headlined?.(cause.values ?? [], outcome !== 'inconclusive') ?? fallback;
  if (outcome === 'inconclusive')
    return { ...shipped, severity: shipped.severity === 'suspected' ? 'suspected' : 'unjudged' };
  return headline?.(cause) ?? shipped;
};
