import { isObject } from '../collections.js';
import { capitalised } from '../words.js';
import type { FoundOperation } from './find-operations.js';
import { child, textOf } from './json-values.js';
import type { Keyless, UnprobedOperation, UnprobedReason } from './model.js';
import { childNode } from './node.js';
import { deletesWithoutId } from './parameter-values.js';
import type { FilledRequest } from './parameter-writer.js';
import type { References } from './references.js';
import type { Requirement } from './security.js';

/** Why a run sends nothing to an operation: the reasons in the order in which they are given. */
type WhyNotProbed = Pick<UnprobedOperation, 'why' | 'details' | 'reason'>;

const unsafe = new Set(['PUT', 'POST', 'DELETE', 'PATCH']);

/** Whether a request may change something (RFC 9110, section 9.2.1). */
export const isUnsafe = (method: string): boolean => unsafe.has(method);

/**
 * Words of a name by which a read may end a session, a key or the service, or take away or add
 * data.
 */
const changingWords =
  'logout|signout|logoff|signoff|revoke|rotate|regenerate|reset|restart|reboot|shutdown|terminate|delete|destroy|remove|purge|unsubscribe|create|append|insert';
const isChanging = new RegExp(`^(?:${changingWords})$`);
const twoWords = /^(?:log|sign) (?:out|off)$/;
/** Few names hold one of these words at all: no other is taken apart. */
const mayBeChanging = new RegExp(`${changingWords}|log|sign`, 'i');

/** `getLogOut` → `get`, `log`, `out` */
const wordsInName = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

/**
 * The words of a read's name that say that it changes something. Some services log out, revoke or
 * create by GET: the key of a run would be lost, or each request would leave an item behind.
 * `x-access-safe: true` says that it only reads.
 */
const changingWordsIn = ({ path, node, pathItems }: FoundOperation): string | undefined => {
  if ([node, ...pathItems].some(({ value }) => child(value, 'x-access-safe') === true)) return undefined;
  const operationId = textOf(child(node.value, 'operationId'));
  const segment = path.split('/').findLast((each) => each !== '' && !each.startsWith('{')) ?? '';
  const [named] = [operationId, segment]
    .filter((name) => mayBeChanging.test(name))
    .map(wordsInName)
    .flatMap((words) => [
      ...words.filter((word) => isChanging.test(word)),
      ...words.map((word, index) => `${word} ${words[index + 1] ?? ''}`).filter((pair) => twoWords.test(pair)),
    ]);
  return named;
};

const markSafe = 'If it only reads, write `x-access-safe: true` on it (an overlay can do it).';

const mayChange = (words: string): string => `its name says that it may change something ("${words}")`;

const whyNameIsNotAsked = (words: string | undefined): string | undefined =>
  words &&
  `${capitalised(mayChange(words))}, so it is sent no key. ${markSafe} UNSAFE_METHODS=true asks it without a key.`;

const whyMethodIsNotSent = (
  { method, path, pathItems }: FoundOperation,
  { access }: Requirement,
  allowUnsafe: boolean,
): string | undefined => {
  if (method === 'GET') return undefined;
  if (method === 'HEAD')
    return pathItems.some(({ value }) => isObject(child(value, 'get')))
      ? `An answer to HEAD has no body to judge by; GET ${path} is probed, with HEAD among its probes.`
      : undefined;
  if (method === 'OPTIONS')
    return 'OPTIONS asks about a resource and does not read it; browsers send it ahead of a request, always without credentials.';
  if (!isUnsafe(method))
    return `${method} is not sent: only GET and HEAD are, and PUT, POST, PATCH, DELETE by UNSAFE_METHODS=true.`;
  if (!allowUnsafe)
    return `${method} may change something. UNSAFE_METHODS=true probes it without a key and without a body, where it needs a key.`;
  return access === 'protected' ? undefined : `${method} may change something, and without a key in the way it would.`;
};

const overriding = /^(?:x-(?:http-)?method(?:-override)?|_method|_httpmethod)$/i;

/** Why a request with a method override is not sent: the server may change something. */
export const whyOverrideIsNotSent = (filled: FilledRequest): string | undefined => {
  if ('reason' in filled) return undefined;
  const query = filled.target.includes('?') ? filled.target.slice(filled.target.indexOf('?') + 1).split('&') : [];
  const pairs = [...filled.headers, ...query.map((pair) => pair.split('=', 2))];
  const found = pairs.find(
    ([name = '', value = '']) => overriding.test(name) && !/^(?:GET|HEAD|OPTIONS)$/i.test(value.trim()),
  );
  return (
    found &&
    `It asks for ${found.join(': ')}, by which the server may change something, and only reads are sent with a key.`
  );
};

const needsBody = ({ node }: FoundOperation, references: References): boolean => {
  const body = references.resolve(childNode(node, 'requestBody'));
  return child(body?.value, 'required') === true;
};

/** Whether only redirects are documented. A read with errors alone is still probed. */
const onlyRedirects = ({ node }: FoundOperation): boolean => {
  const responses = child(node.value, 'responses');
  const statuses = isObject(responses) ? Object.keys(responses).filter((name) => !name.startsWith('x-')) : [];
  return (
    statuses.some((status) => /^3..$/.test(status)) && !statuses.some((status) => /^(?:2..|default)$/i.test(status))
  );
};

const redirectAlone = 'the document promises a redirect alone, which does not show whether it opened';
const addSuccess = 'Document a success status (2xx) or `default`, where it has one (an overlay can do it).';

/** Why a protected read that is probed is sent no key; `undefined` if the key is sent. */
export const whyKeyless = (
  found: FoundOperation,
  { access }: Requirement,
  allowUnsafe: boolean,
): Keyless | undefined => {
  if (access !== 'protected' || isUnsafe(found.method)) return undefined;
  const words = allowUnsafe ? changingWordsIn(found) : undefined;
  if (words !== undefined)
    return {
      cause: 'changes-something',
      why: mayChange(words),
      advice: markSafe,
    };
  return onlyRedirects(found) ? { cause: 'only-redirects', why: redirectAlone, advice: addSuccess } : undefined;
};

/** A reason not to probe, where there is one. */
const because = (
  why: UnprobedReason,
  reason: string | false | undefined,
  details: readonly string[] = [],
): WhyNotProbed | undefined => (reason ? { why, reason, ...(details.length > 0 ? { details } : {}) } : undefined);

interface ReasonInput {
  readonly found: FoundOperation;
  readonly requirement: Requirement;
  /** The server of its own, where it has one. */
  readonly server: string | undefined;
  readonly references: References;
  readonly allowUnsafe: boolean;
}

/** Why an operation is not probed, whatever values its parameters have. */
export const whyNotProbed = ({
  found,
  requirement,
  server,
  references,
  allowUnsafe,
}: ReasonInput): WhyNotProbed | undefined => {
  const { method, path } = found;
  const reads = !isUnsafe(method);
  return (
    because(
      reads ? 'method' : 'write',
      whyMethodIsNotSent(found, requirement, allowUnsafe),
      method === 'HEAD' ? [method, path] : [method],
    ) ??
    because(
      requirement.access === 'unstated' ? 'access-unstated' : 'no-scheme',
      requirement.reason,
      requirement.unusable,
    ) ??
    because(
      'other-server',
      server && `It has a server of its own (${server}), and BASE_URL speaks of the document's.`,
      server === undefined ? [] : [server],
    ) ??
    because('cannot-be-sent', !path.startsWith('/') && 'Its path does not begin with a slash.', ['no slash']) ??
    because('cannot-be-sent', path.includes('#') && 'Its path has a fragment, which no request carries.', ['#']) ??
    because(
      'needs-body',
      reads && needsBody(found, references) && 'It needs a request body, and reads are sent without one.',
    ) ??
    because(
      'only-redirects',
      reads &&
        requirement.access === 'public' &&
        onlyRedirects(found) &&
        `${capitalised(redirectAlone)}. ${addSuccess}`,
    ) ??
    because(
      'changes-something',
      reads && requirement.access !== 'public' && !allowUnsafe && whyNameIsNotAsked(changingWordsIn(found)),
    )
  );
};

export const whyNotFilled = ({ method, path }: FoundOperation, filled: FilledRequest): WhyNotProbed | undefined => {
  const reads = !isUnsafe(method);
  return (
    because('no-random-id', method === 'DELETE' && !/\{[^{}]*\}/.test(path) && deletesWithoutId) ??
    because(
      reads ? 'no-value' : 'no-random-id',
      'reason' in filled && filled.reason,
      'reason' in filled ? filled.parameters : [],
    ) ??
    because('cannot-be-sent', reads && whyOverrideIsNotSent(filled), ['method override'])
  );
};
