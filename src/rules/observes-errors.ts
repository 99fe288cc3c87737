import type { Json } from '../collections.js';
import { cookiePlaceholder } from '../wire/cookies.js';
import type { Exchange, Probe, Response } from '../wire/types.js';
import { answerOf, isSuccess, saysNothing } from './oracle/answers.js';
import { anonymousControls, keyedControl, keyedControls } from './oracle/control-requests.js';
import { controlsOf } from './oracle/controls.js';
import { isOfOneForm } from './oracle/same.js';
import { isUsable, usable } from './oracle/usable-controls.js';
import { isToHttps } from './plain-http/plain-answer.js';
import { plainRequest, plainSideOf, withNothing } from './plain-http/plain-http-requests.js';
import { type Ask, defineRule, type OperationSubject, type SeenFact, type Slice } from './rule.js';
import { invalidKey, type SeenAccess } from './support/asked-by.js';
import { excluded } from './support/judgement.js';
import {
  answerValue,
  endedKeyFact,
  observation,
  observedFacts,
  readTwiceIfRedirected,
  refusalValue,
  seenFact,
  summaryOf,
} from './support/observation.js';
import { again, requestFor, requestWithNothing, requestWithoutKey, requestWithRandomKey } from './support/requests.js';
import { canSendKey, protectedOperations } from './support/subjects.js';
import { onItsOwnQuery } from './support/targets.js';

/** Observes what the contract leaves open about refusals, plain HTTP and sessions. */

const refusalProbes = (subject: OperationSubject): readonly [without: Probe, ...wrong: Probe[]] => [
  requestWithoutKey(subject),
  ...(canSendKey(subject) ? [requestWithRandomKey(subject)] : []),
];

const once = 'a refusal';
const thrice = 'a refusal, read three times';

/** Two more reads in a row, of a few operations, to find values that alternate. */
const readAgain = (ask: Ask, probe: Probe, slice: Slice | undefined): readonly Exchange[] =>
  slice && !slice.has(thrice) ? [] : ask.inSeries([again(probe), again(probe, 3)]);

/** If the key ended before the run, the keyed reads show how an ended key is answered. */
const endedKeyFacts = (ask: Ask, subject: OperationSubject): readonly SeenFact[] => {
  const { operation, deployment } = subject;
  const hasEnded = operation.security.some(({ setting }) => deployment.keys[setting]?.ended === true);
  if (!hasEnded || !canSendKey(subject)) return [];
  return [endedKeyFact([ask(keyedControl(subject, 1)), ask(keyedControl(subject, 2))])];
};

export const observesRefusals = defineRule({
  scope: 'operation',
  id: 'observes-refusals',
  title: 'how a missing and a wrong key are answered',
  stage: 'invalid-keys',
  gaps: ['GAP-ERRORS', 'GAP-KEY-LIFE'],
  appliesTo: protectedOperations,
  battery: { tricks: (subject) => (canSendKey(subject) ? [once, thrice] : []), everywhere: [once] },
  probes: (subject) => refusalProbes(subject),
  judge: (ask, subject, slice) => {
    const [without, ...wrong] = ask.all(refusalProbes(subject));
    const seen = (id: string, words: string, first: Exchange, again: readonly Exchange[] = []): SeenFact =>
      seenFact({
        gap: 'GAP-ERRORS',
        id,
        words: `${words}: ${summaryOf(first)}.`,
        reads: [first, ...again],
        shows: refusalValue,
      });
    return observedFacts([
      seen('refusal-without-key', 'Without a key', without, readAgain(ask, without.probe, slice)),
      // A wrong key is sent only once, since some services count failed attempts.
      ...wrong.map((exchange) => seen('refusal-with-wrong-key', 'With a wrong key', exchange)),
      ...endedKeyFacts(ask, subject),
    ]);
  },
  explanation: observation(
    'How are a missing and a wrong key answered?',
    'The documented request without a key, and with a random one of the same length and alphabet.',
    'status, WWW-Authenticate, redirect and media type.',
    'A good choice is 401 with a WWW-Authenticate field and a JSON body, the same for both, so that a client can tell its user, and nobody learns which keys exist.',
  ),
});

const badKey = (subject: OperationSubject) => {
  const scheme = subject.contract.schemes.find((each) => each.in === 'header') ?? subject.contract.schemes[0];
  const operation = { ...subject.operation, security: scheme ? [{ ...scheme, encoding: 'plain' as const }] : [] };
  const target = onItsOwnQuery(subject, 'bad key');
  return requestFor({ ...subject, operation }, { name: 'with a wrong key', credential: 'random', target });
};

/** Whether a public resource is served with a wrong key. `open` is the answer without a key. */
const seenBeside = (answer: Response | undefined, open: Response | undefined): SeenAccess => {
  if (!answer || !isSuccess(open) || saysNothing(answer)) return 'unclear';
  if (!isSuccess(answer)) return 'refuses';
  return isOfOneForm(answer.shape, open.shape) ? 'opens' : 'unclear';
};

/** Uses a query of its own, so that no cache keeps a refusal for a public resource. */
export const observesBadKey = defineRule({
  scope: 'operation',
  id: 'observes-bad-key',
  title: 'how a public resource answers a wrong key',
  stage: 'invalid-keys',
  gaps: ['GAP-ERRORS'],
  appliesTo: (subject) => subject.operation.access === 'public' && subject.contract.schemes.length > 0,
  probes: (subject) => [badKey(subject)],
  judge: (ask, subject) => {
    const [exchange, open] = ask.all([badKey(subject), requestWithNothing(subject)]);
    const fact = seenFact({
      gap: 'GAP-ERRORS',
      id: 'wrong-key-on-public',
      words: `A wrong key on the public ${subject.operation.id}: ${summaryOf(exchange)}.`,
      reads: [exchange],
      shows: answerValue,
    });
    return {
      ...observedFacts([fact]),
      asked: [{ identity: invalidKey, seen: seenBeside(answerOf(exchange), answerOf(open)) }],
    };
  },
  explanation: observation(
    'How does a public resource answer a wrong key?',
    'The public operation with a random key, on a query of its own, so that no page cache keeps a refusal.',
    'whether it is served all the same or refused.',
    'Common frameworks refuse (401 or 403), since authentication runs before permissions; serving is kinder to clients with an expired key.',
  ),
});

const plainRead = (subject: OperationSubject): Probe =>
  plainRequest(subject, plainSideOf(subject) ?? { origin: 'http://invalid', basePath: '' }, withNothing).probe;

export const observesPlainHttp = defineRule({
  scope: 'operation',
  overPlainHttp: true,
  id: 'observes-plain-http',
  title: 'how plain HTTP is answered',
  stage: 'bypasses',
  gaps: ['GAP-ERRORS'],
  appliesTo: (subject) => plainSideOf(subject) !== undefined && protectedOperations(subject),
  probes: (subject) => [plainRead(subject)],
  judge: (ask, subject) => {
    const exchange = ask(plainRead(subject));
    const answer = answerOf(exchange);
    const transparent = answer !== undefined && isToHttps(answer);
    const fact = seenFact({
      gap: 'GAP-ERRORS',
      id: 'plain-http',
      words: `Plain HTTP: ${summaryOf(exchange)}.${transparent ? ' A redirect lets a client go on that has already sent its key in the clear (OWASP ASVS 5.0, 4.1.2); refusing shows it the mistake.' : ''}`,
      reads: readTwiceIfRedirected(ask, plainRead(subject)),
      shows: answerValue,
    });
    // There is no listener. Unlike a reset or a timeout, that is no accident of one request.
    const isClosed = exchange.attempts.length > 0 && exchange.attempts.every(({ error }) => error?.code === 'refused');
    return observedFacts([isClosed ? { ...fact, value: { status: 'none' }, reads: exchange.attempts.length } : fact]);
  },
  explanation: observation(
    'How is plain HTTP answered?',
    'One GET to the plain-HTTP side with nothing.',
    'the answer, and whether it redirects to https.',
    'Refusing shows a client its mistake; a redirect lets it go on after it has sent its key in the clear (OWASP ASVS 5.0, 4.1.2).',
  ),
});

/** A cookie from a keyed read, sent without the key. Sessions are allowed. */
export const observesSessions = defineRule({
  scope: 'operation',
  id: 'observes-sessions',
  title: 'whether a cookie stands in for the key',
  stage: 'bypasses',
  gaps: ['GAP-ERRORS'],
  appliesTo: protectedOperations,
  probes: (subject) => (canSendKey(subject) ? [...anonymousControls(subject), ...keyedControls(subject)] : []),
  judge: (ask, subject) => {
    if (!canSendKey(subject)) return excluded('No key was given that may be sent, so there is nothing to observe.');
    const controls = controlsOf(ask, subject);
    const [keyed] = controls.keyed;
    const sets = answerOf(keyed)?.headers.some(([name]) => name.toLowerCase() === 'set-cookie') ?? false;
    const fact = (words: string, reads: readonly Exchange[], shows: () => Json) =>
      observedFacts([seenFact({ gap: 'GAP-ERRORS', id: 'session', words, reads, shows })]);
    if (!sets) return fact('A read with the key sets no cookie.', controls.keyed, () => ({ setsCookie: false }));
    const alone = ask(
      requestWithoutKey(subject, {
        name: 'with the cookie of a keyed read alone',
        headers: [['Cookie', cookiePlaceholder]],
        connection: 'fresh',
      }),
    );
    const good = usable(controls);
    const answer = answerOf(alone);
    const opened = isUsable(good) && isSuccess(answer) && answer.shape.digest === good.first.shape.digest;
    return fact(
      `A read with the key sets a cookie; sent alone it is answered with ${summaryOf(alone)}${opened ? ', and opens the operation' : ''}.`,
      [alone],
      () => ({ setsCookie: true, opens: opened }),
    );
  },
  explanation: observation(
    'Does a cookie stand in for the key?',
    'Where a read with the key sets a cookie: one read with that cookie alone.',
    'whether a cookie is set, and whether it opens the operation.',
    'An API that takes keys needs no session. Where there is one, mind cross-site request forgery.',
  ),
});
