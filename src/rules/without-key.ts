import type { Probe } from '../wire/types.js';
import { atOtherAddress } from './addresses.js';
import { judgeBattery } from './battery.js';
import { type ReadWith, readWithEnd, type Trick } from './bypass.js';
import { headTrick, readHeadOperation } from './head.js';
import { asksForTheKey } from './judgements.js';
import { oncePerLook } from './once-per-look.js';
import { optionsTrick } from './options.js';
import { anonymousControls, healthRead, keyedControls, publicOperations } from './oracle/controls.js';
import { isArmed, missingOf, missingPath, read, splitTarget, targetOf, token, withQuery } from './probes.js';
import { proxyFields } from './proxy-fields.js';
import type { Applies, Judgement, Look, OperationRule, OperationSubject } from './rule.js';
import { sentCookies } from './sent-cookies.js';
import { spellingsOf } from './spellings.js';
import { isUnsafe, judgeUnsafe, unsafeProbes } from './unsafe.js';
import { worthlessKeys } from './worthless-keys.js';

/** AUTH-3: the key is required for a protected resource. One rule for each way to come without it. */

export const isProtected = ({ operation }: OperationSubject): Applies => operation.access === 'protected';

/** Whether the key's own read can be sent, or why not. */
export const withKey = (subject: OperationSubject): Applies => isProtected(subject) === true;

const extendedOnly = (subject: OperationSubject, what: string): Applies =>
  withKey(subject) && (subject.deployment.probes === 'extended' || `PROBES=standard leaves out ${what}.`);

const controlProbes = (subject: OperationSubject, rule: Pick<OperationRule, 'id' | 'stage'>): readonly Probe[] => [
  ...anonymousControls(subject),
  ...(isArmed(subject) ? [...keyedControls(subject), healthRead(subject, rule)] : []),
];

interface BatteryWords {
  readonly id: string;
  readonly title: string;
  readonly stage: OperationRule['stage'];
  readonly appliesTo: OperationRule['appliesTo'];
  readonly tricks: (subject: OperationSubject) => readonly Trick[];
  /** Tricks that rest on what was answered: a server that sets no cookie is sent none. */
  readonly asAnswered?: (look: Look, subject: OperationSubject) => readonly Trick[];
  readonly resetRefuses: boolean;
  readonly inTurn?: boolean;
}

/** A rule that sends a battery of requests without the key and lets none of them be granted. */
const refuses = ({ tricks, asAnswered = () => [], resetRefuses, inTurn, ...words }: BatteryWords): OperationRule => {
  const tricksIn = oncePerLook((subject: OperationSubject, look) => {
    const all = [...tricks(subject), ...(isArmed(subject) ? asAnswered(look, subject) : [])];
    return subject.operation.method === 'HEAD' ? all.map((trick) => ({ readWith: readHeadOperation, ...trick })) : all;
  });
  return {
    scope: 'operation',
    clauses: ['AUTH-3'],
    ...words,
    probes: (subject) =>
      isArmed(subject)
        ? [
            ...controlProbes(subject, words),
            ...tricks(subject).flatMap(({ before, probe, withoutTrick = [] }) => [
              ...(before ? [before] : []),
              probe,
              ...withoutTrick,
            ]),
          ]
        : anonymousControls(subject),
    judge: (look, subject) =>
      judgeBattery(look, subject, {
        tricks: tricksIn(look, subject),
        health: healthRead(subject, words),
        resetRefuses,
        ...(inTurn === undefined ? {} : { inTurn }),
      }),
  };
};

const anonymousRead = (subject: OperationSubject): Probe =>
  read(subject, { name: 'without a key', credential: 'none' });

const missingKey = refuses({
  id: 'refuses-missing-key',
  title: 'refuses a request without a key',
  stage: 'keyed',
  appliesTo: withKey,
  resetRefuses: false,
  tricks: (subject) => [{ words: 'a request without a key', probe: anonymousRead(subject) }],
  asAnswered: (look, subject) => {
    const other = atOtherAddress(look, anonymousRead(subject));
    if (!other) return [];
    const { words, probe } = other;
    return [
      { words: `a request without a key ${words}`, probe, missing: () => missingOf(subject, probe), readWith: orNoTls },
    ];
  },
});

export const refusesMissingKey: OperationRule = {
  ...missingKey,
  asksUnsafe: true,
  probes: (subject) => (isUnsafe(subject.operation) ? unsafeProbes(subject) : missingKey.probes(subject)),
  judge: (look, subject) =>
    orDocumentIsWrong(
      isUnsafe(subject.operation) ? judgeUnsafe(look, subject) : missingKey.judge(look, subject),
      subject,
    ),
};

/**
 * Some generators write security on every operation. Where the contract has no clauses of its own, its word on access is
 * all there is, and it may be that word which is wrong.
 */
const orDocumentIsWrong = (judgement: Judgement, { contract, operation }: OperationSubject): Judgement => {
  if (judgement.outcome !== 'failed') return judgement;
  const asked = asksForTheKey(operation);
  const ownWord = contract.clauses.some(({ id, position }) => id === 'AUTH-3' && position !== undefined);
  return {
    ...judgement,
    ...(ownWord
      ? {}
      : {
          reason: `${judgement.reason} ${asked}: either the server forgot to, or the operation is public and the document has to say so with security: [].`,
        }),
    expected: `${judgement.expected ?? 'a refusal'}. ${asked}.`,
  };
};

export const refusesWorthlessKeys = refuses({
  id: 'refuses-worthless-keys',
  title: 'refuses empty, wrong and half keys',
  stage: 'wrong-keys',
  appliesTo: withKey,
  resetRefuses: true,
  tricks: worthlessKeys,
});

const otherSpellings = (subject: OperationSubject): readonly Trick[] => {
  const target = targetOf(subject);
  const [path, query] = splitTarget(target);
  const missing = `${missingPath(path, subject.deployment, subject.operation.path)}${query}`;
  const [open] = publicOperations(subject);
  const publicPath = open && targetOf({ ...subject, operation: open });
  return spellingsOf(target, subject.deployment, publicPath).map(({ words, spell, changesForm }) => ({
    words,
    ...(changesForm ? { changesForm } : {}),
    probe: read(subject, { name: words, credential: 'none', target: spell(target) }),
    missing: () => read(subject, { name: `${words}, where nothing is`, credential: 'none', target: spell(missing) }),
  }));
};

export const refusesOtherSpellings = refuses({
  id: 'refuses-other-spellings',
  title: 'refuses a request without a key however its path is spelled',
  stage: 'ways-round',
  appliesTo: (subject) => extendedOnly(subject, 'other spellings of the path'),
  resetRefuses: true,
  tricks: (subject) => [
    ...otherSpellings(subject),
    ...(subject.operation.method === 'GET' ? [headTrick(subject), optionsTrick(subject)] : []),
    overHttp2(subject),
  ],
});

const overHttp2 = (subject: OperationSubject): Trick => {
  const probe = read(subject, {
    name: 'without a key, over HTTP/2',
    credential: 'none',
    protocol: 'h2',
    connection: 'fresh',
  });
  return { words: 'a read over HTTP/2', probe, missing: () => missingOf(subject, probe), readWith: orNotSpoken };
};

/** A server without HTTP/2 has no such way round. */
const orNotSpoken: ReadWith = (look, exchange, controls) =>
  exchange.attempts.at(-1)?.error?.code === 'no-h2'
    ? { verdict: 'refused', line: 3, seen: 'no HTTP/2' }
    : readWithEnd(look, exchange, controls, { resetRefuses: true });

export const refusesProxyFields = refuses({
  id: 'refuses-proxy-fields',
  title: 'refuses a request without a key whatever fields of a proxy or a browser it carries',
  stage: 'ways-round',
  appliesTo: (subject) => extendedOnly(subject, 'fields of proxies and method overrides'),
  resetRefuses: true,
  tricks: proxyFields,
});

/** What speaks no TLS, or closes each time, is no listener of the API's; the host's other address answered. */
const orNoTls: ReadWith = (look, exchange, controls) =>
  exchange.attempts.at(-1)?.error?.code === 'tls'
    ? { verdict: 'refused', line: 3, seen: 'no TLS there' }
    : readWithEnd(look, exchange, controls, { resetRefuses: true });

/** A server that closes the connection leaves nothing on it. */
const orClosed: ReadWith = (look, exchange, controls) =>
  exchange.attempts.at(-1)?.error?.code === 'no-keyed-connection'
    ? { verdict: 'refused', line: 3, seen: 'no connection left open' }
    : readWithEnd(look, exchange, controls, { resetRefuses: true });

/** The cache is asked on a query of its own, so that nothing is ever left at the real URL. */
const leftovers = (subject: OperationSubject): readonly Trick[] => {
  const target = targetOf(subject);
  const unique = withQuery(target, [`nothing-${token(subject.deployment, `cache ${subject.operation.id}`)}=1`]);
  return [
    {
      words: 'the connection that just carried a key',
      readWith: orClosed,
      before: read(subject, {
        name: 'with the key, before its connection is used again',
        credential: 'valid',
        occasion: 'for the connection that carried it',
      }),
      probe: read(subject, {
        name: 'without a key, on the connection that just carried it',
        credential: 'none',
        connection: 'keyed',
      }),
    },
    {
      words: 'the same URL right after a read with the key',
      before: read(subject, { name: 'with the key, on a query of its own', credential: 'valid', target: unique }),
      probe: read(subject, {
        name: 'without a key, right after',
        credential: 'none',
        target: unique,
      }),
    },
  ];
};

export const refusesLeftovers = refuses({
  id: 'refuses-leftovers',
  title: 'refuses a request without a key right after one with it',
  stage: 'leftovers',
  appliesTo: withKey,
  resetRefuses: true,
  inTurn: true,
  tricks: leftovers,
  asAnswered: sentCookies,
});
