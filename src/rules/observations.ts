import type { Shape } from '../wire/body-facts.js';
import type { Exchange } from '../wire/types.js';
import { clip, counted, firstOf } from '../words.js';
import { follow } from './follow.js';
import { excluded, observed } from './judgements.js';
import { answerOf, header, isRedirect, isSuccess } from './oracle/answers.js';
import { anonymousControls, controlsOf, isUsable, keyedControl, keyedControls, usable } from './oracle/controls.js';
import { viewOf } from './oracle/view.js';
import { neighbours } from './own-way.js';
import { isArmed, read, targetOf, token, withQuery } from './probes.js';
import type { Judgement, OperationRule, OperationSubject } from './rule.js';
import { withKey } from './without-key.js';

/** What the contract leaves open is looked at and told. None of these can fail. */

type Facts = NonNullable<Judgement['facts']>;

const tell = (gap: string, told: readonly (readonly [fact: string, exchange: Exchange])[]): Judgement => {
  const facts: Facts = told.map(([fact, exchange]) => ({ gap, fact, exchanges: [exchange] }));
  return observed(
    facts.map(({ fact }) => fact).join(' ') || 'Nothing to tell.',
    told.map(([, exchange]) => exchange),
    { facts },
  );
};

const observes = (
  words: Pick<OperationRule, 'id' | 'title' | 'stage'> & { readonly gaps: readonly string[] },
  rule: Pick<OperationRule, 'appliesTo' | 'probes' | 'judge'>,
): OperationRule => ({ scope: 'operation', clauses: [], ...words, ...rule });

/** `401 with WWW-Authenticate: Token, application/json`. */
const described = (exchange: Exchange): string => {
  const answer = answerOf(exchange);
  if (!answer) return `no answer (${exchange.attempts.at(-1)?.error?.code ?? 'none'})`;
  const challenge = header(answer, 'www-authenticate');
  const location = isRedirect(answer) ? header(answer, 'location') : undefined;
  const parts = [
    `${answer.status}`,
    ...(location === undefined ? [] : [`to ${location}`]),
    ...(challenge === undefined ? [] : [`with WWW-Authenticate: ${clip(challenge, 80)}`]),
    ...(answer.facts.mediaType === '' ? [] : [`as ${answer.facts.mediaType}`]),
  ];
  return parts.join(' ');
};

export const observesRefusals = observes(
  {
    id: 'observes-refusals',
    title: 'how a missing and a wrong key are answered',
    stage: 'wrong-keys',
    gaps: ['GAP-ERRORS'],
  },
  {
    appliesTo: withKey,
    probes: (subject) => refusalProbes(subject),
    judge: (look, subject) => {
      const sent = look.all(refusalProbes(subject));
      const words = ['Without a key', 'With a wrong key'];
      return tell(
        'GAP-ERRORS',
        sent.map((exchange, index) => [`${words[index]}: ${described(exchange)}.`, exchange] as const),
      );
    },
  },
);

const refusalProbes = (subject: OperationSubject) => [
  read(subject, { name: 'without a key', credential: 'none' }),
  ...(isArmed(subject)
    ? [read(subject, { name: 'a random key of the same length and alphabet', credential: 'random' })]
    : []),
];

export const observesPlainHttp = observes(
  { id: 'observes-plain-http', title: 'how plain HTTP is answered', stage: 'ways-round', gaps: ['GAP-ERRORS'] },
  {
    appliesTo: (subject) => {
      const { httpBaseUrl } = subject.deployment;
      return httpBaseUrl !== null && httpBaseUrl !== 'none' && subject.operation.access === 'protected';
    },
    probes: (subject) => [plainRead(subject)],
    judge: (look, subject) => {
      const exchange = look(plainRead(subject));
      const answer = answerOf(exchange);
      const transparent = answer && isRedirect(answer) && /^https:/i.test(header(answer, 'location') ?? '');
      return tell('GAP-ERRORS', [
        [
          `Plain HTTP: ${described(exchange)}.${transparent ? ' A redirect lets a client go on that has already sent its key in the clear (OWASP ASVS 5.0, 4.1.2); refusing shows it the mistake.' : ''}`,
          exchange,
        ],
      ]);
    },
  },
);

const plainRead = (subject: OperationSubject) => {
  const url = new URL(subject.deployment.httpBaseUrl ?? 'http://invalid');
  return read(subject, {
    name: 'over plain HTTP, with nothing sent',
    credential: 'none',
    origin: url.origin,
    target: `${url.pathname.replace(/\/$/, '')}${subject.operation.target}`,
  });
};

/** On a query of its own, so that no page cache of a public resource keeps a refusal. */
export const observesBadKey = observes(
  {
    id: 'observes-bad-key',
    title: 'how a public resource answers a wrong key',
    stage: 'wrong-keys',
    gaps: ['GAP-ERRORS'],
  },
  {
    appliesTo: (subject) => subject.operation.access === 'public' && subject.contract.schemes.length > 0,
    probes: (subject) => [badKey(subject)],
    judge: (look, subject) => {
      const exchange = look(badKey(subject));
      return tell('GAP-ERRORS', [
        [`A wrong key on the public ${subject.operation.id}: ${described(exchange)}.`, exchange],
      ]);
    },
  },
);

const badKey = (subject: OperationSubject) => {
  const scheme = subject.contract.schemes.find((each) => each.in === 'header') ?? subject.contract.schemes[0];
  const operation = { ...subject.operation, security: scheme ? [{ ...scheme, encoding: 'plain' as const }] : [] };
  const target = withQuery(targetOf(subject), [`nothing-${token(subject.deployment, `bad key ${operation.id}`)}=1`]);
  return read({ ...subject, operation }, { name: 'with a wrong key', credential: 'random', target });
};

export const observesNeighbours = observes(
  {
    id: 'observes-neighbours',
    title: 'what answers beside the documented path',
    stage: 'ways-round',
    gaps: ['GAP-VERSIONS'],
  },
  {
    appliesTo: (subject) => withKey(subject) && subject.deployment.probes === 'extended',
    probes: (subject) => (isArmed(subject) ? neighbours(subject).map(({ probe }) => probe('valid')) : []),
    judge: (look, subject) => {
      if (!isArmed(subject)) return excluded('No key was given that may be sent, so there is nothing to observe.');
      const ways = neighbours(subject);
      const sent = look.all(ways.map(({ probe }) => probe('valid')));
      return tell(
        'GAP-VERSIONS',
        ways.flatMap(({ words }, index) => {
          const exchange = sent[index];
          return exchange ? [[`${words} with the key: ${described(exchange)}.`, exchange] as const] : [];
        }),
      );
    },
  },
);

export const observesLimits = observes(
  { id: 'observes-limits', title: 'which limits the answers name', stage: 'ways-round', gaps: ['GAP-LIMITS'] },
  {
    appliesTo: (subject) => subject.operation.access !== 'unstated',
    probes: (subject) => [ownRead(subject)],
    judge: (look, subject) => {
      const exchange = look(ownRead(subject));
      const answer = answerOf(exchange);
      const limits = (answer?.headers ?? []).filter(([name]) => /^(?:x-)?rate-?limit|^retry-after$/i.test(name));
      const page = answer?.facts.shape
        ? [...viewOf(answer.facts.shape).lists].find(([path]) => path !== '')
        : undefined;
      const facts = [
        limits.length > 0
          ? `${subject.operation.id} names a rate limit: ${firstOf(
              limits.map(([name, value]) => `${name}: ${clip(value, 80)}`),
              8,
            )}.`
          : `${subject.operation.id} names no rate limit.`,
        ...(page && answer && isSuccess(answer)
          ? [`Its list ${page[0]} came with ${counted(page[1].length, 'item')}.`]
          : []),
        ...(exchange.attempts.some(({ response }) => response?.status === 429) ? ['A rate limit was met (429).'] : []),
      ];
      return tell(
        'GAP-LIMITS',
        facts.map((fact) => [fact, exchange] as const),
      );
    },
  },
);

const ownRead = (subject: OperationSubject) =>
  subject.operation.access === 'protected' && isArmed(subject)
    ? keyedControl(subject, 1)
    : read(subject, { name: 'with nothing sent', credential: 'none' });

export const observesRepresentation = observes(
  {
    id: 'observes-representation',
    title: 'what the representation looks like',
    stage: 'ways-round',
    gaps: ['GAP-FIELDS', 'GAP-BODIES'],
  },
  {
    appliesTo: (subject) => subject.operation.access !== 'unstated',
    probes: (subject) => [ownRead(subject)],
    judge: (look, subject) => {
      const exchange = look(ownRead(subject));
      const answer = answerOf(exchange);
      const { id } = subject.operation;
      if (!answer || !isSuccess(answer)) return tell('GAP-BODIES', [[`${id}: ${described(exchange)}.`, exchange]]);
      const members = answer.facts.shape ? membersOf(answer.facts.shape) : [];
      const facts: Facts = [
        {
          gap: 'GAP-BODIES',
          fact: `${id}: ${described(exchange)}, ${counted(answer.facts.size, 'byte')}.`,
          exchanges: [exchange],
        },
        ...(members.length > 0
          ? [
              {
                gap: 'GAP-FIELDS',
                fact: `${id} has the ${members.length === 1 ? 'member' : 'members'} ${firstOf(members, 20)}.`,
                exchanges: [exchange],
              },
            ]
          : []),
      ];
      return observed(facts.map(({ fact }) => fact).join(' '), [exchange], { facts });
    },
  },
);

/** Member names outside lists, and those of list items behind `[]`. Names alone, never values. */
const membersOf = (shape: Shape): string[] => {
  const { outside, lists } = viewOf(shape);
  const items = [...lists].flatMap(([path, { rows }]) => {
    const [first] = rows;
    return first?.shape.type === 'object' ? first.shape.members.map(([name]) => `${path}[].${name}`) : [];
  });
  return [...outside.keys(), ...lists.keys(), ...items]
    .filter((path) => path !== '')
    .map((path) => path.replace(/^\//, ''));
};

/** A cookie that came with a keyed read, sent alone: sessions are allowed, and worth knowing of. */
export const observesSessions = observes(
  {
    id: 'observes-sessions',
    title: 'whether a cookie stands in for the key',
    stage: 'ways-round',
    gaps: ['GAP-ERRORS'],
  },
  {
    appliesTo: withKey,
    probes: (subject) => (isArmed(subject) ? [...anonymousControls(subject), ...keyedControls(subject)] : []),
    judge: (look, subject) => {
      if (!isArmed(subject)) return excluded('No key was given that may be sent, so there is nothing to observe.');
      const controls = controlsOf(look, subject);
      const [keyed] = controls.keyed;
      const sets = answerOf(keyed)?.headers.some(([name]) => name.toLowerCase() === 'set-cookie') ?? false;
      if (!sets) return tell('GAP-ERRORS', [['A read with the key sets no cookie.', keyed]]);
      const alone = look(
        read(subject, {
          name: 'with the cookie of a keyed read alone',
          credential: 'none',
          headers: [['Cookie', '<COOKIES>']],
          connection: 'fresh',
        }),
      );
      const good = usable(controls);
      const answer = answerOf(alone);
      const opened =
        isUsable(good) && answer !== undefined && isSuccess(answer) && answer.facts.digest === good.first.facts.digest;
      return tell('GAP-ERRORS', [
        [
          `A read with the key sets a cookie; sent alone it is answered with ${described(alone)}${opened ? ', and opens the operation' : ''}.`,
          alone,
        ],
      ]);
    },
  },
);

export const observesPublicPath = observes(
  {
    id: 'observes-public-path',
    title: 'what answers at the assumed path',
    stage: 'anonymous',
    gaps: ['GAP-PUBLIC-PATHS'],
  },
  {
    appliesTo: ({ operation }) => operation.assumedPath !== undefined,
    probes: (subject) => [read(subject, { name: 'with nothing sent', credential: 'none' })],
    judge: (look, subject) => {
      const exchange = look(read(subject, { name: 'with nothing sent', credential: 'none' }));
      const end = follow(look, exchange).at(-1);
      const setting = subject.operation.assumedPath?.setting ?? '';
      return tell('GAP-PUBLIC-PATHS', [
        [
          `${targetOf(subject)} (assumed; ${setting} replaces it): ${described(exchange)}${end ? `, then ${described(end)}` : ''}.`,
          exchange,
        ],
      ]);
    },
  },
);
