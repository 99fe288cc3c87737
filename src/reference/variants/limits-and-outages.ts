import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { finishing, hasField, type Override } from '../behaviour.js';
import { type Unnamed, type VariantDefinition, variant, withNames } from '../definitions.js';
import { type Answer, type Call, fieldOf, hangUp, html, json, silence, withField } from '../messages.js';

/** Variants with rate limits, bans, outages and sessions. */

/**
 * Answers requests before they reach the service, if `make`'s function returns an answer. HTTPS
 * requests are numbered from 1.
 */
const inFront =
  (make: () => (call: Call, number: number) => Answer | undefined): Override =>
  (base) => {
    const first = make();
    let number = 0;
    return {
      answer: (call) => {
        number += 1;
        return first(call, number) ?? base.answer(call);
      },
    };
  };

const tooMany = (retryAfter: string): Answer =>
  json(429, { detail: 'Request was throttled.' }, [['Retry-After', retryAfter]]);

/** A token bucket with `size` tokens that refills within a second. */
const limiter = (size: number) => {
  let [tokens, at] = [size, Date.now()];
  return (): boolean => {
    const now = Date.now();
    tokens = Math.min(size, tokens + ((now - at) * size) / 1000);
    at = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
};

/** Answers more requests a second than are allowed with `refusal`. */
const limited = (title: string, perSecond: number, refusal: () => Answer): Unnamed<VariantDefinition> =>
  variant(
    title,
    inFront(() => {
      const allowed = limiter(perSecond);
      return () => (allowed() ? undefined : refusal());
    }),
    { settings: { PROBES: 'standard' } },
  );

const mostWrongKeys = 5;
const bannedMs = 600_000;

const hasKey = hasField('Authorization', /./);

/** Answers every request with `answer` for some minutes after too many wrong keys. */
const banning =
  (answer: Answer): Override =>
  (base, { self }) => {
    let wrong = 0;
    let until = 0;
    return {
      answer: (call) => (Date.now() < until ? answer : base.answer(call)),
      refuse: (call, resource) => {
        if (hasKey(call) && !self.identify(call)) wrong += 1;
        if (wrong >= mostWrongKeys) until = Date.now() + bannedMs;
        return base.refuse(call, resource);
      },
    };
  };

export const limitVariants = withNames<VariantDefinition>({
  '429-once': variant(
    'Answers the first read with the key with 429 and Retry-After.',
    inFront(() => {
      let done = false;
      return (call) => {
        if (done || !hasKey(call)) return undefined;
        done = true;
        return tooMany('1');
      };
    }),
  ),
  '429-without-retry-after': variant(
    'Answers the third request with 429 and does not say how long to wait.',
    inFront(() => (_, number) => (number === 3 ? json(429, { detail: 'Slow down.' }) : undefined)),
  ),
  'five-a-second': limited('Allows five requests a second; says with Retry-After how many seconds to wait.', 5, () =>
    tooMany('1'),
  ),
  'five-a-second-until': limited('Allows five requests a second; says with Retry-After until when to wait.', 5, () =>
    tooMany(new Date(Date.now() + 1000).toUTCString()),
  ),
  'ten-a-second-or-503': limited(
    'Allows ten requests a second, and answers the rest with 503, as the limit of nginx does by itself.',
    10,
    () => html(503, 'Service Temporarily Unavailable', ''),
  ),
  'resets-1-in-10': variant(
    'Closes one connection in ten without an answer.',
    inFront(() => () => (Math.random() < 0.1 ? hangUp : undefined)),
  ),
  'reset-once': variant(
    'Closes the second connection without an answer.',
    inFront(() => (_, number) => (number === 2 ? hangUp : undefined)),
  ),
  '503-twice': variant(
    'Answers two requests with 503 while it starts.',
    inFront(() => (_, number) => (number <= 2 ? html(503, 'Starting', '') : undefined)),
  ),
  '502-now-and-then': variant(
    'Answers every fifteenth request with 502.',
    inFront(() => (_, number) => (number % 15 === 0 ? html(502, 'Bad Gateway', '') : undefined)),
  ),
  'out-for-a-moment': variant(
    'Answers 502 from its hundredth request on, until it was asked 80 times.',
    inFront(() => (_, number) => (number >= 100 && number < 180 ? html(502, 'Bad Gateway', '') : undefined)),
  ),
  'limits-wrong-keys': variant(
    'Answers wrong keys with 429 where there are more than five a second; good keys are not counted.',
    (base) => {
      const allowed = limiter(5);
      return {
        refuse: (call, resource) => (hasKey(call) && !allowed() ? tooMany('1') : base.refuse(call, resource)),
      };
    },
  ),
  'slow-for-wrong-keys': variant(
    'Lets whoever sends a wrong key wait a fifth of a second.',
    finishing(async (answer, call) => {
      if (answer.status === 401 && hasKey(call)) await pause(200);
      return answer;
    }),
  ),
  'answers-resources-alone': variant(
    'Closes the connection on every path but those of its resources.',
    () => ({ missing: () => hangUp, front: () => hangUp }),
    {
      settings: { PROBES: 'standard' },
      outcomes: { 'serves-https': 'passed', 'refuses-plain-http': 'passed', 'opens-without-credentials': 'passed' },
    },
  ),
  'silent-but-for-resources': variant(
    'Never answers at a path but those of its resources.',
    () => ({ missing: () => silence, front: () => silence }),
    {
      verdict: 'incomplete',
      settings: { PROBES: 'standard', TIMEOUT_MS: '3000' },
      outcomes: { 'serves-https': 'passed', 'refuses-plain-http': 'passed', 'opens-without-credentials': 'passed' },
    },
  ),
  'cache-keeps-refusals': variant(
    'A cache in front keeps refusals for a minute, by their URL alone.',
    (base) => {
      const kept = new Map<string, Answer>();
      return {
        answer: async (call) => {
          const known = kept.get(call.target);
          if (known) return known;
          const answer = await base.answer(call);
          if (answer.status === 401) kept.set(call.target, answer);
          return answer;
        },
      };
    },
    { verdict: 'incomplete' },
  ),
  'no-key-hangs-up': variant('Closes the connection on who sends no key.', (base) => ({
    refuse: (call, resource) => (hasKey(call) ? base.refuse(call, resource) : hangUp),
  })),
  'wrong-key-hangs-up': variant('Closes the connection on a wrong key.', (base) => ({
    refuse: (call, resource) => (hasKey(call) ? hangUp : base.refuse(call, resource)),
  })),
  'wrong-key-500': variant('Answers 500 to a key that it cannot read.', (base) => ({
    refuse: (call, resource) =>
      /^Token [0-9a-f]{40}$/.test(fieldOf(call, 'Authorization') ?? 'Token') || !hasKey(call)
        ? base.refuse(call, resource)
        : html(500, 'Server Error (500)', ''),
  })),
  'bans-after-five-wrong-keys': variant(
    'Answers 403 to everything from an address that sent five wrong keys.',
    banning(json(403, { detail: 'Your address is blocked.' })),
    { verdict: 'incomplete' },
  ),
  'bans-by-hanging-up': variant('Closes every connection from an address that sent five wrong keys.', banning(hangUp), {
    verdict: 'incomplete',
  }),
  'goes-down-half-way': variant(
    'Answers 503 from its sixtieth request on.',
    inFront(() => (_, number) => (number >= 60 ? html(503, 'Service Unavailable', '') : undefined)),
    { verdict: 'incomplete' },
  ),
  'hangs-up-half-way': variant(
    'Closes every connection from its sixtieth request on.',
    inFront(() => (_, number) => (number >= 60 ? hangUp : undefined)),
    { verdict: 'incomplete' },
  ),
  'opens-once': variant(
    'Opens to the first request without a key and never again, so that it cannot be shown twice.',
    (base) => {
      let opened = false;
      return {
        identify: (call) => {
          if (opened || fieldOf(call, 'Authorization') !== undefined || base.route(call) !== 'workout')
            return base.identify(call);
          opened = true;
          return 'mara';
        },
      };
    },
    { verdict: 'incomplete' },
  ),
  'login-cookie': variant(
    'A read with the key sets a session cookie, which then opens without it.',
    (base) => {
      const sessions = new Map<string, string>();
      return {
        identify: (call) =>
          base.identify(call) ?? sessions.get(/\bsession=([0-9a-f]+)/.exec(fieldOf(call, 'Cookie') ?? '')?.[1] ?? ''),
        represent: (call, resource, owner) => {
          const answer = base.represent(call, resource, owner);
          if (resource !== 'workout' || owner === undefined) return answer;
          const session = randomBytes(12).toString('hex');
          sessions.set(session, owner);
          return withField(answer, 'Set-Cookie', `session=${session}; Path=/; Secure; HttpOnly; SameSite=Lax`);
        },
      };
    },
    { outcomes: { 'observes-sessions': 'observed' } },
  ),
});
