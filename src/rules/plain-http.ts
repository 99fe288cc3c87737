import type { HeaderPair, Operation } from '../contract/model.js';
import type { Exchange, Probe, Response } from '../wire/types.js';
import { atOtherAddress } from './addresses.js';
import { because } from './causes.js';
import { follow } from './follow.js';
import { failed, inconclusive, listed, passed } from './judgements.js';
import { oncePerLook } from './once-per-look.js';
import { answerOf } from './oracle/answers.js';
import { isOfOneForm } from './oracle/controls.js';
import { isSame } from './oracle/same.js';
import { otherHosts } from './other-hosts.js';
import {
  type Ask,
  carriesCanary,
  isPlain,
  isToHttps,
  noApiAnswers,
  overHttps,
  type ReadAsk,
  readPlain,
} from './plain-answers.js';
import { readPlainHead } from './plain-head.js';
import { whyUnseen } from './plain-reach.js';
import { again, agents, onlyScheme, type ReadWords, read, readService, token } from './probes.js';
import type { Applies, Judgement, Look, OperationRule, OperationSubject, ServiceRule, Subject } from './rule.js';

/**
 * HTTPS-2: the API is reached over HTTPS only. Nothing but a random canary ever stands in the key's place here.
 * Broken when plain HTTP gives what HTTPS gives: the representation, or the API's own refusal of that operation where the
 * plain side answers differently for a path that does not exist (there the API itself answers).
 */

interface PlainSide {
  readonly origin: string;
  /** Path in front of the operation's target. */
  readonly basePath: string;
}

const ask = (
  subject: OperationSubject,
  side: PlainSide,
  words: string,
  headers: readonly HeaderPair[] = [],
  more: Pick<ReadWords, 'method' | 'family' | 'connection'> = {},
): Ask => {
  const plain = (name: string, fields: readonly HeaderPair[], operation = subject.operation): Probe =>
    read(
      { ...subject, operation },
      {
        ...more,
        name: `over plain HTTP, ${name}`,
        credential: 'none',
        origin: side.origin,
        target: `${side.basePath}${operation.target}`,
        headers: fields,
      },
    );
  const probe = plain(words, headers);
  const bare = headers.length === 0 ? probe : plain('with nothing sent', []);
  return {
    words,
    probe,
    bare,
    elsewhere: (operation) =>
      carriesCanary(probe) ? plain('with nothing sent', [], operation) : plain(words, headers, operation),
  };
};

const plainAsks = (subject: OperationSubject, side: PlainSide): readonly Ask[] => [
  ask(subject, side, 'with nothing sent'),
  ...canary(subject, side),
  ask(subject, side, 'from a browser', [
    ['User-Agent', agents.browser],
    ['Accept', 'text/html,application/json;q=0.9,*/*;q=0.8'],
  ]),
  ...otherHosts(subject.deployment, side.origin).map((name) =>
    ask(subject, side, `with Host: ${name}`, [['Host', name]]),
  ),
  ...(subject.operation.method === 'GET'
    ? [{ ...ask(subject, side, 'with HEAD', [], { method: 'HEAD' }), readWith: readPlainHead }]
    : []),
];

/** The host's other address may have a plain-HTTP side of its own. */
const atOther = (look: Look, subject: OperationSubject, side: PlainSide): readonly Ask[] => {
  const other = atOtherAddress(look, ask(subject, side, 'with nothing sent').probe);
  return other ? [ask(subject, side, other.words, [], { family: other.family, connection: 'fresh' })] : [];
};

/** A random value of our own where the key would stand. */
const canary = (subject: OperationSubject, side: PlainSide): readonly Ask[] => {
  const scheme = onlyScheme(subject.operation);
  const value = `canary${token(subject.deployment, 'canary')}${token(subject.deployment, 'canary 2')}`;
  return scheme?.in === 'header'
    ? [ask(subject, side, 'with a canary for a key', [[scheme.field, `${scheme.prefix}${value}`]])]
    : [];
};

const vouchers: readonly (readonly [words: string, header: HeaderPair])[] = [
  ['with X-Forwarded-Proto: https', ['X-Forwarded-Proto', 'https']],
  ['with X-Forwarded-Ssl: on', ['X-Forwarded-Ssl', 'on']],
  ['with Forwarded: proto=https', ['Forwarded', 'proto=https']],
  ['with Front-End-Https: on', ['Front-End-Https', 'on']],
  ['with X-Forwarded-Scheme: https', ['X-Forwarded-Scheme', 'https']],
  ['with CF-Visitor: {"scheme":"https"}', ['CF-Visitor', '{"scheme":"https"}']],
];

const sideOf = ({ deployment }: Subject): PlainSide | undefined => {
  if (deployment.httpBaseUrl === null || deployment.httpBaseUrl === 'none') return undefined;
  const url = new URL(deployment.httpBaseUrl);
  return { origin: url.origin, basePath: url.pathname.replace(/\/$/, '') };
};

const nowhereKnown = inconclusive(
  because('http-base-url-unknown'),
  'Where plain HTTP would be is not known: set HTTP_BASE_URL, or HTTP_BASE_URL=none for a deployment without it.',
  [],
);

const onPlainPort = (subject: OperationSubject): Applies => {
  if (subject.operation.access === 'unstated' || !['GET', 'HEAD'].includes(subject.operation.method)) return false;
  return (
    subject.deployment.httpBaseUrl !== 'none' ||
    'HTTP_BASE_URL=none: the deployment is said to have no plain-HTTP side.'
  );
};

const isGet = ({ method }: Operation): boolean => method === 'GET' || method === 'HEAD';

const readAsk: ReadAsk = (look, subject, asked, exchange) =>
  (asked.readWith ?? readPlain)(look, subject, asked, exchange);

const judgePlain = (look: Look, subject: OperationSubject, asks: readonly Ask[]): Judgement => {
  const exchanges = look.all(asks.map(({ probe }) => probe));
  const readings = asks.map((asked, index) => {
    const exchange = exchanges[index] ?? look(asked.probe);
    return { asked, exchange, plain: readAsk(look, subject, asked, exchange) };
  });
  const known = overHttps(look, subject);
  const comparedWith = 'all' in known ? known.all : [known.anonymous, known.missing];
  const broken = readings.filter(({ plain }) => plain.kind === 'served' || plain.kind === 'refused-by-api');
  const seconds = look.all(broken.map(({ asked }) => again(asked.probe)));
  const data = {
    opened: [...broken.map(({ exchange }) => exchange), ...seconds].flatMap((one) => [
      one,
      ...follow(look, one, isPlain),
    ]),
  };
  const still = broken.filter(
    ({ asked, plain }) => readAsk(look, subject, asked, look(again(asked.probe))).kind === plain.kind,
  );
  const [decisive] = still;
  if (decisive)
    return failed(
      because(
        'served-over-plain-http',
        decisive.plain.kind,
        answerOf(decisive.exchange)?.status,
        ...still.map(({ asked }) => asked.words),
      ),
      `Plain HTTP ${listed(still.map(({ asked }) => asked.words))} was answered with ${decisive.plain.seen}.`,
      still.map(({ exchange }) => exchange),
      {
        expected: 'no answer, an error of the plain side, or a redirect to https',
        seen: decisive.plain.seen,
        comparedWith,
        ...(subject.operation.access === 'protected' ? data : {}),
      },
    );
  if (broken.length > 0)
    return inconclusive(
      because('changes-between-tries', ...broken.map(({ asked }) => asked.words)),
      `Plain HTTP was answered with ${broken[0]?.plain.seen ?? ''}, and on a second try differently.`,
      broken.map(({ exchange }) => exchange),
      { comparedWith, ...(subject.operation.access === 'protected' ? data : {}) },
    );
  for (const { plain, exchange } of readings)
    if (plain.kind === 'unclear')
      return inconclusive(plain.cause, `Plain HTTP could not be judged: ${plain.seen}.`, [exchange], { comparedWith });
  const answers = answerOf(known.anonymous) ?? comparedWith.find(answerOf);
  const forCertain = answers !== undefined && readings.every(({ plain }) => 'forCertain' in plain);
  if (!answerOf(known.anonymous) && !forCertain)
    return inconclusive(
      because('nothing-to-compare'),
      'HTTPS gave no answer for the operation, so there is nothing to compare with.',
      exchanges,
      { comparedWith },
    );
  const alike = allAlike(
    known,
    readings.map(({ exchange }) => exchange),
  );
  const [first] = asks;
  if (alike && !(first && noApiAnswers(look, subject, first)))
    return inconclusive(
      because('answered-like-nothing', alike.status),
      `Plain HTTP answers as HTTPS does, but HTTPS says the same (${alike.status}) of a path that does not exist.`,
      exchanges,
      { comparedWith },
    );
  const others = readings.filter(({ plain }) => 'success' in plain);
  return passed(`Plain HTTP gives nothing of it: ${listed(readings.map(({ plain }) => plain.seen))}.`, exchanges, {
    comparedWith,
    ...(others.length > 0
      ? { note: 'Plain HTTP answers with a success status, though with nothing that HTTPS serves.' }
      : {}),
  });
};

/** The answer of a server that says the same to everything, on both sides: it has shown nothing. */
const allAlike = (
  known: { readonly anonymous: Exchange; readonly missing: Exchange },
  plain: readonly Exchange[],
): Response | undefined => {
  const [https, missing] = [answerOf(known.anonymous), answerOf(known.missing)];
  if (!https || !missing || !isSame(https, missing)) return undefined;
  const answered = plain.map(answerOf).filter((answer) => answer !== undefined);
  return answered.some((answer) => answer.status === https.status && isOfOneForm(answer.facts, https.facts))
    ? https
    : undefined;
};

const plainRule = (
  words: Pick<OperationRule, 'id' | 'title'>,
  extended: boolean,
  asksOf: (subject: OperationSubject, side: PlainSide) => readonly Ask[],
  /** Those that rest on what was answered. */
  asAnswered: (look: Look, subject: OperationSubject, side: PlainSide) => readonly Ask[] = () => [],
): OperationRule => {
  const asks = (subject: OperationSubject): readonly Ask[] | undefined => {
    const side = sideOf(subject);
    return side && asksOf(subject, side);
  };
  const asksIn = oncePerLook((subject: OperationSubject, look) => {
    const side = sideOf(subject);
    return side && [...asksOf(subject, side), ...asAnswered(look, subject, side)];
  });
  return {
    scope: 'operation',
    ...words,
    clauses: ['HTTPS-2'],
    stage: 'ways-round',
    appliesTo: (subject) => {
      if (extended && subject.deployment.probes === 'standard' && onPlainPort(subject) === true)
        return 'PROBES=standard leaves out fields of proxies.';
      return onPlainPort(subject);
    },
    probes: (subject) => (asks(subject) ?? []).map(({ probe }) => probe),
    judge: (look, subject) => {
      const asked = asksIn(look, subject);
      return asked ? judgePlain(look, subject, asked) : nowhereKnown;
    },
  };
};

export const refusesPlainHttp = plainRule(
  { id: 'refuses-plain-http', title: 'is not reached over plain HTTP' },
  false,
  plainAsks,
  atOther,
);

export const refusesPlainHttpBehindProxyFields = plainRule(
  {
    id: 'refuses-plain-http-behind-proxy-fields',
    title: 'is not reached over plain HTTP by a request that vouches for TLS itself',
  },
  true,
  (subject, side) => vouchers.map(([words, field]) => ask(subject, side, words, [field])),
);

const mostOnTlsPort = 20;

/** Operations asked over plain HTTP on the TLS port. */
const onTlsPort = ({ contract, deployment }: Subject): readonly OperationSubject[] =>
  contract.operations
    .filter((operation) => operation.access !== 'unstated' && isGet(operation))
    .slice(0, mostOnTlsPort)
    .map((operation) => ({ contract, deployment, operation }));

const tlsPortSide = ({ deployment }: Subject): PlainSide => {
  const url = new URL(deployment.origin);
  return { origin: `http://${url.hostname}:${url.port || '443'}`, basePath: deployment.basePath };
};

/** A contract of operations that may not be asked: the base path stands for them, and proves nothing where both sides answer it alike. */
const judgeBase = (look: Look, subject: Subject): Judgement => {
  const side = sideOf(subject);
  if (!side && subject.deployment.httpBaseUrl !== 'none') return nowhereKnown;
  const sides = [tlsPortSide(subject), ...(side ? [side] : [])];
  const [https, ...plain] = look.all([
    readService(subject, { name: 'the base path' }),
    ...sides.map(({ origin, basePath }) =>
      readService(subject, { name: 'the base path, over plain HTTP', origin, target: `${basePath}/` }),
    ),
  ]);
  const open = https && answerOf(https);
  if (!https || !open)
    return inconclusive(
      because('nothing-to-compare'),
      'HTTPS gave no answer at the base path, so there is nothing to compare with.',
      plain,
    );
  const [unseen] = plain.flatMap((exchange) => {
    const why = whyUnseen(exchange, https);
    return why === undefined ? [] : [{ exchange, why }];
  });
  if (unseen)
    return inconclusive(unseen.why.cause, `Plain HTTP could not be judged: ${unseen.why.words}.`, [unseen.exchange], {
      comparedWith: [https],
    });
  const doubtful = plain.find((exchange, index) => {
    const answer = answerOf(exchange);
    if (!answer || isToHttps(answer)) return false;
    // What a TLS port says of plain HTTP it says of every path; a plain port may have another answer for each.
    return index > 0 || answer.status === 429 || isSame(answer, open) || isOfOneForm(answer.facts, open.facts);
  });
  if (doubtful)
    return inconclusive(
      because('unclear-answer', answerOf(doubtful)?.status),
      `Over plain HTTP the base path is answered with ${answerOf(doubtful)?.status ?? ''}; the contract has no operation that may be asked, by which it could be seen whether the API answers there.`,
      [doubtful],
      { comparedWith: [https] },
    );
  return passed(
    'At the base path plain HTTP gives no answer, or a redirect to https; the contract has no operation that may be asked.',
    plain,
    { comparedWith: [https] },
  );
};

export const refusesPlainHttpOnTlsPort: ServiceRule = {
  scope: 'service',
  id: 'refuses-plain-http-on-tls-port',
  clauses: ['HTTPS-2'],
  title: 'does not speak plain HTTP on the port of its HTTPS',
  stage: 'ways-round',
  appliesTo: () => true,
  probes: (subject) => onTlsPort(subject).map((each) => ask(each, tlsPortSide(subject), 'on the TLS port').probe),
  judge: (look, subject) => {
    const asked = onTlsPort(subject);
    if (asked.length === 0) return judgeBase(look, subject);
    look.all(asked.map((each) => ask(each, tlsPortSide(subject), 'on the TLS port').probe));
    const judged = asked.map((each) => judgePlain(look, each, [ask(each, tlsPortSide(each), 'on the TLS port')]));
    const worst = (['failed', 'inconclusive'] as const)
      .map((outcome) => judged.find((one) => one.outcome === outcome))
      .find((one) => one);
    return (
      worst ??
      passed(
        judged[0]?.reason ?? '',
        judged.flatMap(({ exchanges }) => exchanges),
      )
    );
  },
};
