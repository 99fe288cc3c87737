import type { Response } from '../../wire/types.js';
import { clip } from '../../words.js';
import { answerOf, answersOf, authStatuses, isSuccess } from '../oracle/answers.js';
import type { Controls } from '../oracle/controls.js';
import { isSame } from '../oracle/same.js';
import { filledListsIn, viewIn } from '../oracle/view.js';
import type { Ask, OperationSubject } from '../rule.js';
import { requestFor, requestWithoutKey } from '../support/requests.js';

/** Whether the key reached the API that refused it. */
export interface Arrival {
  /** One more possible reason, followed by `, `; empty if the key arrived. */
  readonly possible: string;
  /** Sentences about what was seen, each after a space; or empty. */
  readonly seen: string;
}

const isAnsweredAlike = (one: Response, other: Response): boolean =>
  isSame(one, other) && challengesOf(one).join() === challengesOf(other).join();

/**
 * Whether the key reached the server. If it is lost on the way, the answer is that of a request
 * without a key. Two equal answers with the key that differ from that one show that it arrived, and
 * so does a refusal that only a random key gets in its place.
 * Only header fields are quoted, since a body may hold data of the key's owner.
 */
export const arrivalOf = (ask: Ask, subject: OperationSubject, controls: Controls): Arrival => {
  const { possible, seen } = arrivedAs(ask, subject, controls);
  return { possible, seen: `${seen}${rowsOfOthers(controls)}` };
};

/**
 * Rows that the operation gives to requests without this key. It is no finding, since nothing shows
 * what the key opens: a refusal with 200 may have a list too.
 */
const rowsOfOthers = ({ anonymous, random, missing, base }: Controls): string => {
  const nothing = answersOf([missing, base]);
  const given = [[anonymous, 'No key'] as const, [random, 'A random key'] as const].flatMap(([exchange, who]) => {
    const answer = answerOf(exchange);
    if (!isSuccess(answer) || nothing.some((other) => isSame(other, answer))) return [];
    const rows = Math.max(0, ...filledListsIn(viewIn(answer.shape)).map(([, { length }]) => length));
    return rows > 1 ? [`${who} gets ${answer.status} and a list of ${rows}`] : [];
  });
  return given.length === 0 ? '' : ` ${given.join('. ')}: the check of keys may be the wrong way round.`;
};

const arrivedAs = (ask: Ask, subject: OperationSubject, controls: Controls): Arrival => {
  const [keyed, repeated] = controls.keyed.map(answerOf);
  const anonymous = answerOf(controls.anonymous);
  const unknown = { possible: lostOnTheWay(subject), seen: '' };
  if (!keyed || !anonymous || !repeated) return unknown;
  if (!isAnsweredAlike(keyed, repeated)) return unknown;
  if (isAnsweredAlike(keyed, anonymous)) {
    const status = answerOf(controls.random)?.status ?? keyed.status;
    return status !== keyed.status && authStatuses.has(status)
      ? { possible: '', seen: ` The key arrived: without one the answer is the same, and a random one gets ${status}.` }
      : unknown;
  }
  const wrong = requestFor(subject, { name: 'with a random key', credential: 'random' });
  const [random, without] = ask.all([wrong, requestWithoutKey(subject, { round: 2 })]).map(answerOf);
  // Refusals that differ between requests show nothing.
  if (!without || !isAnsweredAlike(anonymous, without)) return unknown;
  const compared =
    random === undefined
      ? ''
      : isAnsweredAlike(keyed, random)
        ? ' A random key gets the same answer.'
        : ' A random key gets another answer: the server may know this key, and may hold it for expired, locked or without the right.';
  return {
    possible: '',
    seen: ` The key arrived: without one the answer is another.${quoted(keyed, anonymous)}${compared}`,
  };
};

/** The challenges that only this key gets (RFC 9110, section 11.6.1), shortened. */
const quoted = (keyed: Response, anonymous: Response): string => {
  const usual = challengesOf(anonymous);
  const said = challengesOf(keyed).filter((value) => !usual.includes(value));
  return said.length === 0
    ? ''
    : ` The server says: WWW-Authenticate: ${said.map((value) => clip(value, 120)).join(', ')}.`;
};

const challengesOf = ({ headers }: Response): readonly string[] =>
  headers.filter(([name]) => /^www-authenticate$/i.test(name)).map(([, value]) => value);

/** Names the possible reason that a proxy removes the key's header field. */
const lostOnTheWay = ({ operation }: OperationSubject): string => {
  const field = operation.security.find((scheme) => scheme.in === 'header')?.field;
  if (field === undefined) return '';
  const where = /^authorization$/i.test(field)
    ? 'in a proxy, or in mod_wsgi without WSGIPassAuthorization'
    : 'in a proxy';
  return `its field may be lost on the way (${where}), `;
};
