import type { BodyShape } from '../../wire/body-shape.js';
import type { Exchange, HeaderPair, Probe, Response } from '../../wire/types.js';
import { answerOf, answersOf, closesEachTime, header, isSuccess } from '../oracle/answers.js';
import { publicOperations } from '../oracle/control-requests.js';
import { readExchange, readsAsRecord } from '../oracle/reading.js';
import { isSame, sameFields } from '../oracle/same.js';
import type { Reading } from '../oracle/table.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import { filledListsIn, viewIn } from '../oracle/view.js';
import type { OperationSubject } from '../rule.js';
import { again, baseOf, type Credential, missingOf, requestFor } from '../support/requests.js';
import { type Bypass, bypassOf, change, type ReadWith, readWithEnd } from './bypass.js';
import { unlessOfChangingList } from './changing-lists.js';

/** Requests with another method: HEAD and OPTIONS. */

const withoutCoding = change('Accept-Encoding', 'identity');

/** HEAD without a content coding, with which Content-Length is not the size of the body. */
export const headRequest = (subject: OperationSubject, name: string, credential: Credential): Probe =>
  requestFor(subject, { ...withoutCoding, name, credential, method: 'HEAD' });

/** The name of HEAD in the battery. */
export const headTrick = 'a HEAD request without a key';

export const headBypass = (subject: OperationSubject): Bypass => ({
  words: headTrick,
  how: 'by HEAD',
  probe: headRequest(subject, 'HEAD without a key', 'none'),
  readWith: readByHead(subject),
  // GET without a content coding may open the operation too; then HEAD is not the reason.
  simpler: bypassOf(subject, withoutCoding),
});

/**
 * Reads HEAD, which has no body; some servers answer every HEAD with 200.
 *
 * It is granted if its Content-Type and its Content-Length or ETag equal those of a keyed HEAD.
 * They must differ from those of missing paths and of a refusal with 200. The keyed HEAD must also
 * describe the body that GET gives. A success without these fields is not read as refused where GET
 * is, unless its length is 0.
 */
export const readByHead =
  (subject: OperationSubject): ReadWith =>
  (ask, exchange, controls) => {
    if (closesEachTime(exchange)) return { verdict: 'refused', line: 3, seen: 'the connection closed each time' };
    const answer = answerOf(exchange);
    if (answer && readsAsRecord(answer, controls.background)) return readExchange(exchange, controls.background);
    if (answer && !isSuccess(answer)) return { verdict: 'refused', line: 8, seen: `${answer.status} to HEAD` };
    const optionsWithoutKey = headRequest(subject, 'HEAD without a key', 'none');
    const keyed = headRequest(subject, 'HEAD with the key', 'valid');
    const probes = [
      keyed,
      again(keyed),
      missingOf(subject, optionsWithoutKey),
      baseOf(subject, optionsWithoutKey),
    ] as const;
    const [granted, repeated, missing, base] = ask.all(probes);
    // Fields that equal those of a refusal with status 200 show nothing.
    const known = [...answersOf([missing, base]), ...getWithoutKey(controls, 'refused')];
    return readHead(exchange, controls, { keyed: [granted, repeated], others: known, missing: answerOf(missing) });
  };

export const readHeadOperation: ReadWith = (_look, exchange, controls) => {
  const answer = answerOf(exchange);
  if (!isSuccess(answer) || readsAsRecord(answer, controls.background))
    return readExchange(exchange, controls.background);
  const others = answersOf([controls.missing, controls.base]);
  return readHead(exchange, controls, { keyed: controls.keyed, others, missing: undefined });
};

/** The answer to GET without a key, if it is a success that is read with this verdict. */
const getWithoutKey = ({ anonymous, background }: UsableControls, verdict: Reading['verdict']): readonly Response[] => {
  const answer = answerOf(anonymous);
  if (!isSuccess(answer) || readExchange(anonymous, background).verdict !== verdict) return [];
  const length = ['Content-Length', String(answer.shape.size)] as const;
  return [
    header(answer, 'content-length') === undefined ? { ...answer, headers: [...answer.headers, length] } : answer,
  ];
};

/**
 * Whether HEAD describes a body, or may do so, although GET without a key is an error or closes the
 * connection, and HEAD at a missing path is no success. Then the answer is not simply GET's
 * refusal. A length of 0 describes no body: some routers answer HEAD without calling the operation.
 */
const isOwnAnswer = (head: Response, missing: Response | undefined, { anonymous }: UsableControls): boolean => {
  const get = answerOf(anonymous);
  const isOfNoBody = header(head, 'content-length') === '0';
  const isGetRefused = get === undefined ? closesEachTime(anonymous) : !isSuccess(get);
  return !isOfNoBody && isGetRefused && !isSuccess(missing);
};

/**
 * The field in which HEAD gives the number of the rows that the key gets. All keyed answers have
 * it, and no other answer does. Other fields may be constants of a route, so they show nothing.
 */
const fieldWithCount = (
  head: Response,
  keyed: readonly (Response | undefined)[],
  others: readonly Response[],
  { first, second }: UsableControls,
): string | undefined => {
  const [counts, again] = [first, second].map(({ shape }) => countsIn(shape));
  return head.headers.find(([name, value]) => {
    const has = (answer: Response | undefined): boolean =>
      answer !== undefined && header(answer, name.toLowerCase()) === value;
    return counts?.has(value) && again?.has(value) && [first, second, ...keyed].every(has) && !others.some(has);
  })?.[0];
};

/** The lengths of lists of several rows, as texts. */
const countsIn = (body: BodyShape): ReadonlySet<string> =>
  new Set(filledListsIn(viewIn(body)).flatMap(([, { length }]) => (length > 1 ? [String(length)] : [])));

const headReading = (verdict: Reading['verdict'], seen: string): Reading => ({ verdict, line: 5, seen });

/** The ETag for a weak comparison (RFC 9110, section 8.8.3.2). */
const tagOf = (answer: Response): string | undefined => header(answer, 'etag')?.replace(/^W\//, '');

const isCoded = (answer: Response): boolean =>
  !['', 'identity'].includes((header(answer, 'content-encoding') ?? '').toLowerCase());

/**
 * Whether a HEAD describes another body than GET gives: its length is outside the sizes of the
 * keyed reads, and its ETag is not one of theirs.
 */
const isOfAnotherBody = (head: Response, { first, second }: UsableControls): boolean => {
  const length = Number(header(head, 'content-length') ?? Number.NaN);
  const gets = [first, second];
  if (Number.isNaN(length) || isCoded(head) || first.shape.kind === 'empty') return false;
  if (gets.some(({ shape }) => shape.truncated)) return false;
  const sizes = gets.map(({ shape }) => shape.size);
  if (length >= Math.min(...sizes) && length <= Math.max(...sizes)) return false;
  const tag = tagOf(head);
  return tag === undefined || !gets.some((get) => tagOf(get) === tag);
};

/** Answers to HEAD of other requests. */
interface HeadControls {
  readonly keyed: readonly [Exchange, Exchange];
  /** Of requests that open nothing. */
  readonly others: readonly Response[];
  /** Of a path that does not exist, if it was asked with HEAD. */
  readonly missing: Response | undefined;
}

const readHead = (exchange: Exchange, controls: UsableControls, { keyed, others, missing }: HeadControls): Reading => {
  const [answer, granted, repeated] = [exchange, ...keyed].map(answerOf);
  if (!answer) return headReading('unclear', `no answer to HEAD (${exchange.attempts.at(-1)?.error?.code ?? 'none'})`);
  const compared = isSuccess(granted) ? sameFields(granted, repeated, answer) : false;
  const refused = (why: string): Reading => headReading('refused', `${answer.status} to HEAD, ${why}`);
  if ((!granted || !compared) && isOwnAnswer(answer, missing, controls)) {
    const { anonymous, random, publics } = controls;
    const without = answersOf([anonymous, random, ...publics]);
    const field = fieldWithCount(answer, [granted, repeated], [...others, ...without], controls);
    return field === undefined
      ? headReading('unclear', `${answer.status} to HEAD, where GET is refused`)
      : headReading('granted', `${answer.status} to HEAD, with the number of the rows in ${field}`);
  }
  if (!granted || !compared) return refused(compared === undefined ? 'with nothing to compare' : 'unlike with the key');
  if (isOfAnotherBody(granted, controls)) return refused('with fields that are not those of what GET opens');
  const isKeyed = (seen: Response): boolean => sameFields(granted, repeated, seen) === true;
  // HEAD shows no more than GET.
  if (getWithoutKey(controls, 'unclear').some(isKeyed))
    return headReading('unclear', `${answer.status} to HEAD, and GET tells no more`);
  return others.some((other) => other.status === answer.status && isKeyed(other))
    ? refused('with fields that refusals have too')
    : headReading('granted', `${answer.status} with the fields that the key gets`);
};

/** OPTIONS without a key, as any client and as a browser sends it. */

/** The group of the bypasses that send OPTIONS. */
export const optionsGroup = 'OPTIONS';

export const optionsTrick = 'an OPTIONS request without a key';
export const preflightTrick = 'a CORS preflight';

/** OPTIONS without a key. Rules that look at its answer share this request. */
export const optionsProbe = (subject: OperationSubject): Probe =>
  requestFor(subject, { name: 'OPTIONS, without a key', credential: 'none', method: 'OPTIONS' });

/** OPTIONS without a key. A route for every method serves the data to it. */
export const optionsBypass = (subject: OperationSubject): Bypass =>
  readAsOptions(subject, optionsProbe(subject), { words: optionsTrick, how: 'by OPTIONS' });

/** The same as a browser sends it before a page of another origin reads the resource. */
export const preflightBypass = (subject: OperationSubject): Bypass => {
  const probe = requestFor(subject, { ...open, name: preflightTrick, headers: preflight });
  return readAsOptions(subject, probe, { words: preflightTrick, how: 'by a CORS preflight (OPTIONS)' });
};

const open = { credential: 'none', method: 'OPTIONS' } as const;

const preflight: readonly HeaderPair[] = [
  ['Origin', 'https://another-site.example'],
  ['Access-Control-Request-Method', 'GET'],
  ['Access-Control-Request-Headers', 'authorization'],
];

/**
 * Most frameworks answer OPTIONS themselves for any client: with nothing, an empty list or object,
 * or a description of the resource. So only the owner's data, or the keyed answer itself, counts as
 * granted.
 */
const readAsOptions = (subject: OperationSubject, probe: Probe, names: Pick<Bypass, 'words' | 'how'>): Bypass => {
  const { headers } = probe;
  const missing = missingOf(subject, probe);
  const elsewhere = [
    missing,
    ...publicOperations(subject)
      .slice(0, 1)
      .map((operation) =>
        requestFor(
          { ...subject, operation },
          { ...open, name: `${probe.name} of the public ${operation.id}`, headers },
        ),
      ),
  ];
  return {
    ...names,
    probe,
    readWith: (ask, exchange, controls) => {
      const reading = unlessOfChangingList({ ask, controls }, { probe, missing: () => missing }, exchange, (nothing) =>
        readWithEnd(ask, exchange, controls, { nothing }),
      );
      const answer = answerOf(exchange);
      if (!isSuccess(answer) || reading.line === 1) return reading;
      const refused = (seen: string) =>
        ({ verdict: 'refused', line: reading.line, seen: `${answer.status} to OPTIONS, ${seen}` }) as const;
      // How OPTIONS is answered tells nothing about how a client without the key is refused.
      if (reading.verdict === 'refused') return refused('with nothing of what the key gets');
      const rows = filledListsIn(viewIn(answer.shape)).length > 0;
      if (!rows && reading.verdict === 'unclear') return refused('with a description');
      if (!rows && controls.background.keyed.isEmpty) return refused('with nothing in it');
      return ask.all(elsewhere).some((other) => isSame(answerOf(other), answer)) ? refused('as elsewhere') : reading;
    },
  };
};
