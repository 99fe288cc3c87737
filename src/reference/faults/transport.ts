import { redirect } from '../answer.js';
import { refusal, type Surroundings, strictKey, type Twist } from '../behaviour.js';
import { type Call, fieldOf, withPath } from '../call.js';
import type { FaultPlan } from '../plan.js';

/** Plain HTTP that serves, and certificates that are not good. */

type Condition = (call: Call, around: Surroundings) => boolean;

/** The API answers over plain HTTP where this holds; elsewhere it redirects as it should. */
const answersWhere =
  (holds: Condition): Twist =>
  (before, around) => ({
    plain: (call) => (holds(call, around) ? before.answer(call) : before.plain(call)),
  });

const fault = (name: string, title: string, check: string, twist: Twist): FaultPlan => ({
  name,
  title,
  clauses: ['HTTPS-2'],
  checks: [check],
  twist,
});

const plain = 'refuses-plain-http';
const behindProxy = 'refuses-plain-http-behind-proxy-fields';

const says = (field: string, value: RegExp): Twist => answersWhere((call) => value.test(fieldOf(call, field) ?? ''));

const certificateFault = (certificate: 'expired' | 'not-yet' | 'wrong-host', title: string): FaultPlan => ({
  name: `certificate-${certificate}`,
  title,
  clauses: ['HTTPS-1'],
  checks: ['serves-https'],
  certificate,
});

export const transportFaults: readonly FaultPlan[] = [
  fault(
    'plain-http',
    'The whole API is served over plain HTTP too.',
    plain,
    answersWhere(() => true),
  ),
  fault(
    'plain-http-public',
    'Plain HTTP serves the public resources and redirects the rest.',
    plain,
    answersWhere((call, { self }) => ['exercise', 'ingredient'].includes(self.route(call) ?? '')),
  ),
  fault(
    'plain-http-refuses-itself',
    'Over plain HTTP the API itself answers for the workouts: it asks for the key there.',
    plain,
    answersWhere((call, { self }) => self.route(call) === 'workout'),
  ),
  fault(
    'plain-http-checks-keys',
    'Plain HTTP redirects who sends no key, and has the API look at the key of who sends one.',
    plain,
    (before, { self }) => ({
      plain: (call) =>
        self.route(call) === 'workout' && fieldOf(call, 'Authorization') !== undefined
          ? refusal(call)
          : before.plain(call),
    }),
  ),
  fault('plain-http-any-key', 'Over plain HTTP any key opens the workouts.', plain, (before, { self }) => ({
    plain: (call) =>
      self.route(call) === 'workout' && strictKey(call) !== undefined
        ? self.represent(call, 'workout', 'mara')
        : before.plain(call),
  })),
  fault(
    'plain-http-after-redirects',
    'Plain HTTP redirects twice within plain HTTP and then serves.',
    plain,
    (before, { self }) => ({
      plain: (call) => {
        const { path } = call;
        if (path?.startsWith('/www/')) return self.answer(withPath(call, path.slice('/www'.length)));
        if (path?.startsWith('/m/')) return redirect(302, `/www${path.slice('/m'.length)}`);
        return self.route(call) ? redirect(302, `/m${path}`) : before.plain(call);
      },
    }),
  ),
  fault(
    'plain-http-for-x-forwarded-proto',
    'Plain HTTP serves whoever says X-Forwarded-Proto: https.',
    behindProxy,
    says('X-Forwarded-Proto', /^https$/i),
  ),
  fault(
    'plain-http-for-x-forwarded-ssl',
    'Plain HTTP serves whoever says X-Forwarded-Ssl: on.',
    behindProxy,
    says('X-Forwarded-Ssl', /^on$/i),
  ),
  fault(
    'plain-http-for-forwarded',
    'Plain HTTP serves whoever says Forwarded: proto=https.',
    behindProxy,
    says('Forwarded', /proto="?https/i),
  ),
  fault(
    'plain-http-for-front-end-https',
    'Plain HTTP serves whoever says Front-End-Https: on.',
    behindProxy,
    says('Front-End-Https', /^on$/i),
  ),
  fault(
    'plain-http-for-browsers',
    'Plain HTTP serves browsers and redirects other clients.',
    plain,
    says('User-Agent', /Mozilla/),
  ),
  fault(
    'plain-http-for-other-host',
    'Plain HTTP serves under every host name but its own, which redirects.',
    plain,
    answersWhere((call, { httpOrigin }) => `http://${fieldOf(call, 'Host')}` !== httpOrigin),
  ),
  {
    name: 'plain-http-on-tls-port',
    title: 'The TLS port takes plain HTTP as well.',
    clauses: ['HTTPS-2'],
    checks: ['refuses-plain-http-on-tls-port'],
    plainOnTlsPort: (behaviour) => behaviour.answer,
  },
  certificateFault('expired', 'The certificate expired yesterday.'),
  certificateFault('not-yet', 'The certificate is valid from tomorrow.'),
  certificateFault('wrong-host', 'The certificate is for another host.'),
];
