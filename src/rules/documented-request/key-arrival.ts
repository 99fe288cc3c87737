import type { Response } from '../../wire/types.js';
import { clip } from '../../words.js';
import { answerOf } from '../oracle/answers.js';
import type { Controls } from '../oracle/controls.js';
import { isSame as isSameAnswer } from '../oracle/same.js';
import { readWithoutKey, requestFor } from '../requests.js';
import type { Ask, OperationSubject } from '../rule.js';

/** What the answers show of whether the key reached the API that refused it. */
export interface Arrival {
  /**
   * One more possible reason why the key opens nothing, with a comma and a blank behind it; `''`
   * where it is ruled out.
   */
  readonly possible: string;
  /** What was seen of it, a sentence or more with a blank in front; `''` where nothing was. */
  readonly seen: string;
}

const isSame = (one: Response, other: Response): boolean =>
  isSameAnswer(one, other) && challengesOf(one).join() === challengesOf(other).join();

/**
 * Whether the key reached the server. A server that never sees the key answers as if none was sent;
 * one that answers otherwise, twice, has seen it. Only header fields are quoted, since the body of
 * an answer to the key may hold its owner's data.
 */
export const arrivalOf = (ask: Ask, subject: OperationSubject, controls: Controls): Arrival => {
  const [keyed, again] = controls.keyed.map(answerOf);
  const anonymous = answerOf(controls.anonymous);
  if (!keyed || !anonymous) return { possible: lostOnTheWay(subject), seen: '' };
  const unknown = { possible: lostOnTheWay(subject), seen: '' };
  if (isSame(keyed, anonymous) || !again || !isSame(keyed, again)) return unknown;
  const [random, without] = ask
    .all([
      requestFor(subject, { name: 'with a random key', credential: 'random' }),
      readWithoutKey(subject, { round: 2 }),
    ])
    .map(answerOf);
  // Refusals that change from answer to answer show nothing.
  if (!without || !isSame(anonymous, without)) return unknown;
  const compared =
    random === undefined
      ? ''
      : isSame(keyed, random)
        ? ' A random key gets the same answer.'
        : ' A random key gets another answer: the server may know this key, and may hold it for expired, locked or without the right.';
  return {
    possible: '',
    seen: ` The key arrived: without one the answer is another.${quoted(keyed, anonymous)}${compared}`,
  };
};

/** The challenges (RFC 9110, section 11.6.1) that only this key gets, shortened. */
const quoted = (keyed: Response, anonymous: Response): string => {
  const usual = challengesOf(anonymous);
  const said = challengesOf(keyed).filter((value) => !usual.includes(value));
  return said.length === 0
    ? ''
    : ` The server says: WWW-Authenticate: ${said.map((value) => clip(value, 120)).join(', ')}.`;
};

const challengesOf = ({ headers }: Response): readonly string[] =>
  headers.filter(([name]) => /^www-authenticate$/i.test(name)).map(([, value]) => value);

/** A server that never sees the key's field refuses as it refuses a request without one. */
const lostOnTheWay = ({ operation }: OperationSubject): string => {
  const field = operation.security.find((scheme) => scheme.in === 'header')?.field;
  if (field === undefined) return '';
  const where = /^authorization$/i.test(field)
    ? 'in a proxy, or in mod_wsgi without WSGIPassAuthorization'
    : 'in a proxy';
  return `its field may be lost on the way (${where}), `;
};
