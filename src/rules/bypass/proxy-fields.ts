import type { HeaderPair, Probe } from '../../wire/types.js';
import { publicOperations } from '../oracle/control-requests.js';
import type { OperationSubject } from '../rule.js';
import { bundled } from '../support/bundles.js';
import { agents, requestFor } from '../support/requests.js';
import { baseOf, missingPath, splitTarget, targetOf } from '../support/targets.js';
import { bundledChanges } from './bundled-changes.js';
import { type Bypass, withFields } from './bypass.js';
import { bundleOf } from './changes.js';
import { documentedOptions } from './documented-options.js';
import { optionsGroup, optionsProbe } from './options-request.js';
import { virtualHosts } from './other-hosts.js';

/**
 * Header fields that only a proxy should set, or that any browser sets. None of them replaces the
 * key.
 */

/**
 * The field that most proxies set, with addresses of the machine itself and of RFC 1918. Docker
 * puts containers into 172.17.0.0/16. Some proxies write `unknown` for a client without an address.
 */
const addressesForwarded = [
  ['a loopback address', '127.0.0.1'],
  ['a private address', '10.0.0.1'],
  ['the private address 172.17.0.1', '172.17.0.1'],
  ['the private address 192.168.0.1', '192.168.0.1'],
  ['the name localhost and an address', 'localhost, 127.0.0.1'],
  ['the word unknown', 'unknown'],
] as const;

const overrideFields = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'] as const;
const rewriteFields = ['X-Original-URL', 'X-Rewrite-URL'] as const;
/**
 * Proxies and hosts tell a service the requested target in these fields. Routers ignore them, and a
 * guard may not.
 */
const askedForFields = [
  'X-Original-URI',
  'X-Forwarded-Uri',
  'X-Forwarded-Path',
  // Frameworks put it in front of the path that a guard sees.
  'X-Forwarded-Prefix',
  'X-Original-Path',
  'X-Envoy-Original-Path',
  'X-Matched-Path',
] as const;

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

/** Requests that look like they come from the service's own pages, a browser or a crawler. */
const fromBrowsers = (subject: OperationSubject): readonly Bypass[] => {
  const { origin } = subject.deployment;
  return [
    withFields(
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
    withFields(
      subject,
      "a request with a browser's Accept",
      [['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8']],
      { how: "with a browser's Accept" },
    ),
    ...['text/csv', 'application/xml'].map((type) => withFields(subject, `Accept: ${type}`, [['Accept', type]])),
    withFields(subject, "a request with a browser's User-Agent", [['User-Agent', agents.browser]], {
      how: "with a browser's User-Agent",
    }),
    bundleOf(
      subject,
      "a crawler's User-Agent and the fields of an EventSource",
      [
        {
          words: "a request with a crawler's User-Agent",
          how: "with a crawler's User-Agent",
          headers: [['User-Agent', agents.crawler]],
        },
        // Browsers send no Authorization for an EventSource, so its handler may ask for no key.
        {
          words: 'a request of an EventSource',
          how: 'as an EventSource does',
          headers: [
            ['Accept', 'text/event-stream'],
            ['Cache-Control', 'no-cache'],
            ['Last-Event-ID', '0'],
          ],
        },
      ],
      { changesForm: true },
    ),
    // The whole body, so that its length equals that of the keyed answer.
    withFields(subject, 'a Range', [['Range', 'bytes=0-']]),
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
    ...withFields(subject, words, headers, method ? { method } : {}),
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
    withFields(subject, `X-Forwarded-For with ${words}`, [['X-Forwarded-For', address]], {
      how: `with X-Forwarded-For: ${address}`,
    }),
  ),
  ...virtualHosts(subject),
  ...fromBrowsers(subject),
  ...bundledChanges(subject),
  ...documentedOptions(subject),
  ...overrides(subject),
];
