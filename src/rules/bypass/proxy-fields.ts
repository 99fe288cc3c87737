import type { HeaderPair, Probe } from '../../wire/types.js';
import { answerOf, isRedirect } from '../oracle/answers.js';
import { publicOperations } from '../oracle/control-requests.js';
import { readExchange } from '../oracle/reading.js';
import type { OperationSubject } from '../rule.js';
import { bundled } from '../support/bundles.js';
import { otherHosts } from '../support/other-address.js';
import { agents, type RequestOptions, requestFor } from '../support/requests.js';
import { baseOf, missingPath, nonce, splitTarget, targetOf, withQuery } from '../support/targets.js';
import { bundledChanges } from './bundled-changes.js';
import { type Bypass, bypassWith, type ReadWith, showsOwners } from './bypass.js';
import { optionsGroup, optionsProbe } from './options-request.js';

/**
 * Header fields that only a proxy should set, or that any browser sets. None of them replaces the
 * key.
 */

const fields = (
  subject: OperationSubject,
  words: string,
  headers: readonly HeaderPair[],
  { how, ...more }: Pick<RequestOptions, 'method' | 'target'> & Pick<Bypass, 'how'> = {},
): Bypass => bypassWith(subject, words, { headers, ...more }, how);

/**
 * The field that most proxies set, with addresses of the machine itself and of RFC 1918. Docker
 * puts containers into 172.17.0.0/16.
 */
const addressesForwarded = [
  ['a loopback address', '127.0.0.1'],
  ['a private address', '10.0.0.1'],
  ['the private address 172.17.0.1', '172.17.0.1'],
  ['the private address 192.168.0.1', '192.168.0.1'],
] as const;

const overrideFields = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'] as const;
const rewriteFields = ['X-Original-URL', 'X-Rewrite-URL'] as const;
/**
 * nginx and Traefik tell an authorisation service the requested target in these fields. Routers
 * ignore them.
 */
const askedForFields = ['X-Original-URI', 'X-Forwarded-Uri'] as const;

/** Rewrites a public path to the operation, and the operation's path to a public one. */
const rewrites = (subject: OperationSubject): readonly Bypass[] => {
  const target = targetOf(subject);
  const [path, query] = splitTarget(target);
  const missing = `${missingPath(path, subject.deployment, subject.operation.path)}${query}`;
  const [open] = publicOperations(subject);
  const openTarget = open ? targetOf({ ...subject, operation: open }) : `${subject.deployment.basePath}/`;
  const openRead = open
    ? requestFor({ ...subject, operation: open }, { name: `the public ${open.id}`, credential: 'none' })
    : baseOf(subject, requestFor(subject, { name: 'the base path', credential: 'none' }));
  const rewrite = (names: readonly string[], way: 'towards' | 'away from', words: string): Bypass => {
    const request = (what: string, at: string): Probe =>
      requestFor(subject, {
        name: `${words} ${way} ${what}`,
        credential: 'none',
        target: way === 'towards' ? openTarget : at,
        headers: names.map((name) => [name, way === 'towards' ? at : openTarget]),
      });
    return {
      words: `${words} ${way} the operation`,
      probe: request('the operation', target),
      baseline: [openRead],
      missing: () => request('a path that does not exist', missing),
    };
  };
  const rewriteByAny = (names: readonly string[], way: 'towards' | 'away from'): Bypass =>
    bundled(
      {
        ...rewrite(names, way, 'fields that rewrite the target'),
        ...(way === 'towards' ? { unchanged: openRead } : {}),
      },
      names.map((name) => rewrite([name], way, name)),
    );
  return [rewriteByAny(rewriteFields, 'towards'), rewriteByAny([...rewriteFields, ...askedForFields], 'away from')];
};

/**
 * Other host names: one of this machine, and one that no host has. Another virtual host answers
 * something else. A redirect that repeats the name would lead to this machine, so it is not
 * followed.
 */
const virtualHosts = (subject: OperationSubject): readonly Bypass[] => {
  // With a query of its own: a cache whose key ignores this field would keep links made from it.
  const apart = withQuery(targetOf(subject), [
    `nothing-${nonce(subject.deployment, `host ${subject.operation.id}`)}=1`,
  ]);
  const hosts = otherHosts(subject.deployment);
  const [machine] = hosts;
  return [
    ...hosts.map((name) => fields(subject, `Host: ${name}`, [['Host', name]])),
    ...ownHostSpelled(subject),
    fields(subject, `X-Forwarded-Host: ${machine}`, [['X-Forwarded-Host', machine]], { target: apart }),
  ].map((bypass) => ({ ...bypass, readWith: atAnotherHost }));
};

/**
 * Other spellings of the deployment's own name that DNS treats as equal. A guard may compare it as
 * text.
 */
const ownHostSpelled = (subject: OperationSubject): readonly Bypass[] => {
  const { hostname, port } = new URL(subject.deployment.origin);
  const withoutPort = port === '' ? [] : [fields(subject, 'Host without its port', [['Host', hostname]])];
  if (!/[a-z]$/i.test(hostname)) return withoutPort;
  const spelled = (name: string): HeaderPair => ['Host', port === '' ? name : `${name}:${port}`];
  return [
    fields(subject, 'Host with a dot at its end', [spelled(`${hostname.replace(/\.$/, '')}.`)], {
      how: 'with a dot at the end of Host',
    }),
    fields(subject, 'Host in upper case', [spelled(hostname.toUpperCase())]),
    ...withoutPort,
  ];
};

/**
 * Reads answers of another virtual host, which may be another service of the same kind, such as a
 * public demo. Servers that compare names letter by letter may lead there from the own name too. So
 * only what the key gets here is granted, and a redirect opens nothing.
 */
const atAnotherHost: ReadWith = (_ask, exchange, controls) => {
  const answer = answerOf(exchange);
  if (answer && isRedirect(answer))
    return { verdict: 'refused', line: 4, seen: `${answer.status} to the host that was sent` };
  const reading = readExchange(exchange, controls.background);
  return reading.verdict === 'granted' && !showsOwners(reading)
    ? { ...reading, verdict: 'unclear', seen: `${reading.seen}, which may be those of another service` }
    : reading;
};

/** Requests that look like they come from the service's own pages, a browser or a crawler. */
const fromBrowsers = (subject: OperationSubject): readonly Bypass[] => {
  const { origin } = subject.deployment;
  return [
    fields(
      subject,
      'a request with Referer and Origin of the service itself',
      [
        ['Referer', `${origin}/`],
        ['Origin', origin],
        ['X-Requested-With', 'XMLHttpRequest'],
      ],
      { how: 'with Referer and Origin of the service itself' },
    ),
    ...inAnotherForm(subject),
  ];
};

/**
 * Requests for a page, another format or a part of the answer. Separate code or a cache may serve
 * each of them.
 */
const inAnotherForm = (subject: OperationSubject): readonly Bypass[] =>
  [
    fields(
      subject,
      "a request with a browser's Accept",
      [['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8']],
      { how: "with a browser's Accept" },
    ),
    ...['text/csv', 'application/xml'].map((type) => fields(subject, `Accept: ${type}`, [['Accept', type]])),
    fields(subject, "a request with a browser's User-Agent", [['User-Agent', agents.browser]], {
      how: "with a browser's User-Agent",
    }),
    fields(subject, "a request with a crawler's User-Agent", [['User-Agent', agents.crawler]], {
      how: "with a crawler's User-Agent",
    }),
    // The whole body, so that its length equals that of the keyed answer.
    fields(subject, 'a Range', [['Range', 'bytes=0-']]),
  ].map((bypass) => ({ ...bypass, changesForm: true }));

const toOptions = 'method overrides with OPTIONS';
const fromOptions = 'method overrides with GET on OPTIONS';

/**
 * Method overrides. Their baseline is a plain OPTIONS: most frameworks answer that themselves, some
 * with as little as the key gets.
 */
const overrides = (subject: OperationSubject): readonly Bypass[] => {
  const plain = optionsProbe(subject);
  const override = (words: string, headers: readonly HeaderPair[], method?: 'OPTIONS'): Bypass => ({
    ...fields(subject, words, headers, method ? { method } : {}),
    baseline: [plain],
  });
  const setTo = (value: string): HeaderPair[] => overrideFields.map((field) => [field, value]);
  return [
    bundled(
      override(toOptions, setTo('OPTIONS')),
      overrideFields.map((field) => override(`${field}: OPTIONS`, [[field, 'OPTIONS']])),
    ),
    bundled(
      { ...override(fromOptions, setTo('GET'), 'OPTIONS'), unchanged: plain },
      overrideFields.map((field) => override(`${field}: GET on OPTIONS`, [[field, 'GET']], 'OPTIONS')),
    ),
  ];
};

/** The group of the method overrides: that of OPTIONS. */
export const overrideGroups: ReadonlyMap<string, string> = new Map(
  [toOptions, fromOptions].map((trick) => [trick, optionsGroup]),
);

export const proxyFields = (subject: OperationSubject): readonly Bypass[] => [
  ...rewrites(subject),
  ...addressesForwarded.map(([words, address]) =>
    fields(subject, `X-Forwarded-For with ${words}`, [['X-Forwarded-For', address]], {
      how: `with X-Forwarded-For: ${address}`,
    }),
  ),
  // An explicit empty body: guards and routers may treat such a request differently.
  fields(subject, 'Content-Length: 0', [['Content-Length', '0']]),
  ...virtualHosts(subject),
  ...fromBrowsers(subject),
  ...bundledChanges(subject),
  ...overrides(subject),
];
