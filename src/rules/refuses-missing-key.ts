import type { Operation } from '../contract/model.js';
import { isUnsafe } from '../contract/why-not-probed.js';
import type { Exchange } from '../wire/types.js';
import { refusedAtError } from './bypass/bypass.js';
import { judgedAsBypass, noneOpens } from './bypass/bypass-rule.js';
import { judgeKeyless, keylessProbes, refusedAlone } from './bypass/keyless-operation.js';
import { judgeUnsafe, unsafeProbes } from './bypass/unsafe-operation.js';
import { answersEverybody, openedElsewhere, openToAll } from './documented-request/opened-elsewhere.js';
import { answerOf } from './oracle/answers.js';
import { controlsOf } from './oracle/controls.js';
import { type Ask, defineRule, type Judgement, type OperationSubject, type Procedure, type RuleWords } from './rule.js';
import { askedInControls, nobody, seenBy } from './support/asked-by.js';
import { whereBypassOpens } from './support/headlines.js';
import { asksForTheKey, because, failed, inconclusive } from './support/judgement.js';
import { atOtherAddress } from './support/other-address.js';
import { again, missingOf, requestWithoutKey } from './support/requests.js';
import { canSendKey, protectedOperations } from './support/subjects.js';

/** AUTH-3: nothing opens without a key. */

const givesKey = (exchange: Exchange): boolean => answerOf(exchange)?.givesKey === true;

/**
 * Failed if another answer gives the key to anybody: that of a missing path, the base path or a
 * public operation. The operation's own answer is judged by the table.
 */
const orGivenAway = (judgement: Judgement, ask: Ask, subject: OperationSubject): Judgement => {
  if (judgement.outcome === 'failed' || !canSendKey(subject)) return judgement;
  const { missing, otherMissing, base, publics, all } = controlsOf(ask, subject);
  const places = [
    ...[missing, otherMissing].map((exchange) => ({ exchange, words: 'a path that does not exist' })),
    { exchange: base, words: 'the base path' },
    ...publics.map((exchange) => ({ exchange, words: `the public ${exchange.probe.operation}` })),
  ];
  const found = places.find(({ exchange }) => givesKey(exchange) && givesKey(ask(again(exchange.probe))));
  if (!found) return judgement;
  return failed(
    because('gives-the-key', found.words),
    `The answer of ${found.words} holds the key itself, and nothing of it was sent: anybody can read it there, and use it.`,
    [found.exchange],
    { expected: 'no answer that holds the key', comparedWith: all },
  );
};

const safely = noneOpens({
  bypasses: (subject) => [{ words: 'a request without a key', probe: requestWithoutKey(subject) }],
  asAnswered: (ask, subject) => {
    const other = atOtherAddress(ask, requestWithoutKey(subject));
    if (!other) return [];
    const { words, probe } = other;
    return [
      {
        words: `a request without a key ${words}`,
        how: words,
        probe,
        missing: () => missingOf(subject, probe),
        // The host's other address may have a listener without TLS. That is not the API.
        readWith: refusedAtError('tls', 'no TLS there'),
      },
    ];
  },
});

/** Unsafe operations, and those that get no key, are asked without a key only. */
const procedureWithoutKey = (rule: RuleWords): Procedure<OperationSubject> => {
  const safe = safely(rule);
  return {
    probes: (subject) =>
      isUnsafe(subject.operation.method)
        ? unsafeProbes(subject)
        : subject.operation.keyless !== undefined
          ? keylessProbes(subject)
          : safe.probes(subject),
    judge: (ask, subject) => {
      const { operation } = subject;
      if (operation.keyless) return ofNobody(judgeKeyless(ask, subject, operation.keyless));
      if (isUnsafe(operation.method)) return orDocumentIsWrong(ofNobody(judgeUnsafe(ask, subject)), subject);
      const safely = safe.judge(ask, subject);
      const judgement =
        (safely.cause?.id === 'control-unusable' ? refusedAlone(ask, subject) : undefined) ??
        orOpenToAll(safely, ask, subject);
      const orGiven = orGivenAway(judgement, ask, subject);
      return orDocumentIsWrong({ ...orGiven, asked: askedInControls(ask, subject, orGiven) }, subject);
    },
  };
};

/**
 * Reports an operation where everybody gets the same answer, if its body proves neither data nor a
 * refusal.
 */
const orOpenToAll = (judgement: Judgement, ask: Ask, subject: OperationSubject): Judgement => {
  const { outcome, cause } = judgement;
  const provesLittle =
    (outcome === 'inconclusive' && cause?.id === 'unclear-answer') ||
    (outcome === 'blocked' && cause?.id === 'control-unusable' && cause.values?.[0] === 'like-keyless');
  if (!provesLittle) return judgement;
  const controls = controlsOf(ask, subject);
  const forAll = answersEverybody(controls, subject);
  const opened = forAll && openedElsewhere(ask, subject);
  if (!forAll || opened === undefined) return judgement;
  const words = `${forAll.words} The key opens ${opened}, so it is good; the body here proves neither data nor a refusal.`;
  return inconclusive(openToAll(forAll), words, [controls.anonymous], { comparedWith: controls.all });
};

const ofNobody = (judgement: Judgement): Judgement => ({
  ...judgement,
  asked: [{ identity: nobody, seen: seenBy(judgement, 'refuses', 'opens') }],
});

/**
 * The public operation whose answer has a value of the request. What it names may be public too,
 * where only some rows of a list are.
 */
const publicSourceOf = ({ contract, operation }: OperationSubject): Operation | undefined => {
  const sources = Object.values(operation.readFrom ?? {});
  return contract.operations.find(
    ({ id, access }) => access === 'public' && sources.some((one) => one.operation === id),
  );
};

/**
 * Adds to a failure that the document may be wrong, since some generators write `security` on every
 * operation. If the contract itself has AUTH-3, only the expectation names the document.
 */
const orDocumentIsWrong = (judgement: Judgement, subject: OperationSubject): Judgement => {
  // Nobody documents a refusal as public.
  if (judgement.outcome !== 'failed' || judgement.cause?.id === 'leaks-in-refusal') return judgement;
  const { contract, operation } = subject;
  const source = publicSourceOf(subject);
  const ofPublic = source
    ? ` Its values are read from ${source.method} ${source.path}, which is public: if some rows are and others are not, give values in PARAMETERS that only the key may read.`
    : '';
  const asked = asksForTheKey(operation);
  const ownWord = contract.clauses.some(({ id, position }) => id === 'AUTH-3' && position !== undefined);
  return {
    ...judgement,
    ...(ownWord
      ? {}
      : {
          reason: `${judgement.reason} ${asked}: either the server forgot to, or the operation is public and the document has to say so with security: [] (access-conformance propose prepares an overlay for that).${ofPublic}`,
        }),
    expected: `${judgement.expected ?? 'a refusal'}. ${asked}.`,
  };
};

/** AUTH-3: a client without a key does not get a protected resource. */
export const refusesMissingKey = defineRule({
  scope: 'operation',
  id: 'refuses-missing-key',
  clauses: ['AUTH-3'],
  title: 'refuses a request without a key',
  demandsKey: true,
  headline: whereBypassOpens('open'),
  stage: 'keyed',
  appliesTo: protectedOperations,
  asksUnsafe: true,
  asksKeyless: true,
  unprobed: { access: 'protected', givesReason: true },
  procedure: procedureWithoutKey,
  explanation: {
    asks: 'A protected resource is not given to a client that sends no key.',
    sends: [
      'The documented request without any credentials, beside the two reads with the key.',
      'Where the host has an IPv4 and an IPv6 address, and both can be reached from here: once more to the one that was not asked.',
    ],
    judged: [
      ...judgedAsBypass,
      'Failed: a path that does not exist, the base path or a public operation gives the key itself to who sent nothing of it, twice.',
    ],
    causes: [
      'The default of the framework is “allow”, and this route was never given its guard.',
      'Authentication runs, and nothing demands that it succeeded (an optional user).',
      'A cache in front serves what somebody with a key fetched.',
      'An error page shows what it compared the key with, or the settings of the service.',
    ],
    fixes: [
      'Deny by default, and open public routes by name (in Django REST framework: DEFAULT_PERMISSION_CLASSES = [IsAuthenticated]).',
      'Send Vary: Authorization and Cache-Control: private or no-store with protected answers.',
      'Answer 401 with a WWW-Authenticate field: the contract leaves it open, and clients like it.',
    ],
  },
});
