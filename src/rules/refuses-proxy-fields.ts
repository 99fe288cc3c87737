import { wordsIn } from '../collections.js';
import type { Probe } from '../wire/types.js';
import { bundledChanges } from './bypass/bundled-changes.js';
import { type Bypass, bundleOf, bypassOf, type Change, change, requestWith } from './bypass/bypass.js';
import { judgedAsBypass, noneOpens, tricksIn } from './bypass/bypass-rule.js';
import { documentedOptions } from './bypass/documented-options.js';
import { emailFields, userFields } from './bypass/identity-fields.js';
import { virtualHosts } from './bypass/other-hosts.js';
import { optionsGroup, optionsProbe } from './bypass/other-methods.js';
import { type AccountClaim, accountClaims, naming, placeOf } from './identities/account-claims.js';
import { holderOf } from './identities/identity-views.js';
import { anonymousControls, publicOperations, publicReads } from './oracle/control-requests.js';
import { refusesLeftovers } from './refuses-leftovers.js';
import { defineRule, type OperationSubject } from './rule.js';
import { bundled } from './support/bundles.js';
import { whereBypassOpens } from './support/headlines.js';
import { agents, missingOf, requestWithoutKey } from './support/requests.js';
import { protectedWhenExtended } from './support/subjects.js';
import { missingTarget, targetOf } from './support/targets.js';

/** Header fields that only a proxy should set, or that any browser sets. */

/**
 * The field that most proxies set, with addresses of the machine itself and of private networks
 * (RFC 1918; RFC 6598, as VPNs and clusters use it). A list has one for those who read it from the
 * left, and another for those who read it from the right. Some proxies write `unknown` for a client
 * without an address.
 */
const addressesForwarded = [
  ['a loopback address', '127.0.0.1'],
  ['a private address', '10.0.0.1'],
  ['the name localhost and a shared address', 'localhost, 100.64.0.1'],
  ['the word unknown', 'unknown'],
] as const;

const overrideFields = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'] as const;
const rewriteFields = ['X-Original-URL', 'X-Rewrite-URL', 'X-Astro-Path'] as const;
/** Fields that tell a service the requested target, which only a guard may read. */
const askedForFields = [
  'X-Original-URI',
  'X-Forwarded-Uri',
  'X-Forwarded-Path',
  // Frameworks put its value in front of the path that a guard sees.
  'X-Forwarded-Prefix',
  'X-Original-Path',
  'X-Envoy-Original-Path',
  'X-Matched-Path',
] as const;

/** Rewrites a public path to the operation, and the operation's path to a public one. */
const rewrites = (subject: OperationSubject): readonly Bypass[] => {
  const target = targetOf(subject);
  const missing = missingTarget(subject, target);
  const [open] = publicOperations(subject);
  const openTarget = open ? targetOf({ ...subject, operation: open }) : `${subject.deployment.basePath}/`;
  const [publicRead] = publicReads(subject);
  const [, , base] = anonymousControls(subject);
  const openRead = publicRead ?? base;
  const rewrite = (names: readonly string[], way: 'towards' | 'away from', words: string): Bypass => {
    const request = (what: string, at: string): Probe =>
      requestWithoutKey(subject, {
        name: `${words} ${way} ${what}`,
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
      () => names.map((name) => rewrite([name], way, name)),
    );
  return [rewriteByAny(rewriteFields, 'towards'), rewriteByAny([...rewriteFields, ...askedForFields], 'away from')];
};

/**
 * Requests without a key that name the account of the key's owner, where IDENTITIES says its name.
 * A service that trusts its proxy gives them the rows of that account; a made-up user has none.
 */
const namedOwner = (subject: OperationSubject): readonly Bypass[] => {
  const owner = holderOf(subject);
  if (owner?.owns === undefined) return [];
  const claims = accountClaims(subject, owner).flat();
  const fields = [...userFields, ...emailFields, ...claims.flatMap((one) => (one.in === 'header' ? one.name : []))];
  const all: readonly AccountClaim[] = [
    ...[...new Set(fields)].map((name) => ({ in: 'header', name }) as const),
    ...claims.filter((claim) => claim.in === 'query'),
  ];
  const named = (words: string, how: string, some: readonly AccountClaim[]): Bypass => {
    const probe = { ...naming(requestWithoutKey(subject), owner, some), name: words };
    return { words, how, probe, missing: () => missingOf(subject, probe) };
  };
  const itsName = `the name of ${owner.name}`;
  const what = 'fields and parameters that name the owner of the key';
  return [
    bundled({ ...named(`a request with ${what}`, `with ${what}`, all), trick: what }, () =>
      all.map((one) => named(`${placeOf(one)} with ${itsName}`, `with ${itsName} in ${placeOf(one)}`, [one])),
    ),
  ];
};

/** A request that looks like it comes from the service's own pages. */
const fromItself = ({ deployment: { origin } }: OperationSubject): Change =>
  requestWith('Referer, Origin and X-Requested-With of the service itself', {
    headers: [
      ['Referer', `${origin}/`],
      ['Origin', origin],
      ['X-Requested-With', 'XMLHttpRequest'],
    ],
  });

const fromCrawlersAndEventSources: readonly Change[] = [
  requestWith("a crawler's User-Agent", { headers: [['User-Agent', agents.crawler]] }),
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
];

/** Requests for a page, another format or a part, which other code or a cache may serve. */
const inAnotherForm: readonly Change[] = [
  requestWith("a browser's Accept", {
    headers: [['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8']],
  }),
  ...['text/csv', 'application/xml'].map((type) => change('Accept', type)),
  // The whole body, so that its length equals that of the keyed answer.
  { words: 'a Range', headers: [['Range', 'bytes=0-']] },
];

/** Scripts of pages, and most tools, accept anything. */
const fromScripts: readonly Change[] = [
  requestWith("a browser's User-Agent", { headers: [['User-Agent', agents.browser]] }),
  change('Accept', '*/*'),
];

/** Formats that few services have, in one request. */
const rareFormats = wordsIn(`
  application/yaml text/plain application/atom+xml text/calendar application/msgpack
  text/vnd.turbo-stream.html application/vnd.api+json application/hal+json application/x-ndjson
`).map((type) => change('Accept', type));

const toOptions = 'method overrides with OPTIONS';
const fromOptions = 'method overrides with GET on OPTIONS';

/** Method overrides. A plain OPTIONS, which frameworks answer themselves, opens nothing. */
const overrides = (subject: OperationSubject): readonly Bypass[] => {
  const plain = optionsProbe(subject);
  const override = (
    words: string,
    value: string,
    fields: readonly string[],
    more: Pick<Change, 'method' | 'parameters'>,
  ): Bypass => ({
    ...bypassOf(subject, { words, headers: fields.map((field) => [field, value]), ...more }),
    baseline: [plain],
  });
  const inQuery = { parameters: ['_method=OPTIONS'] };
  const onOptions = { method: 'OPTIONS' };
  return [
    bundled(override(toOptions, 'OPTIONS', overrideFields, inQuery), () => [
      ...overrideFields.map((field) => override(`${field}: OPTIONS`, 'OPTIONS', [field], {})),
      override('?_method=OPTIONS', 'OPTIONS', [], inQuery),
    ]),
    bundled({ ...override(fromOptions, 'GET', overrideFields, onOptions), unchanged: plain }, () =>
      overrideFields.map((field) => override(`${field}: GET on OPTIONS`, 'GET', [field], onOptions)),
    ),
  ];
};

/** The group of the method overrides: that of OPTIONS. */
const overrideGroups: ReadonlyMap<string, string> = new Map(
  [toOptions, fromOptions].map((trick) => [trick, optionsGroup]),
);

export const proxyFields = (subject: OperationSubject): readonly Bypass[] => [
  ...rewrites(subject),
  ...addressesForwarded.map(([words, address]) =>
    bypassOf(subject, {
      words: `X-Forwarded-For with ${words}`,
      how: `with X-Forwarded-For: ${address}`,
      headers: [['X-Forwarded-For', address]],
    }),
  ),
  ...virtualHosts(subject),
  bypassOf(subject, fromItself(subject)),
  ...inAnotherForm.map((one): Bypass => ({ ...bypassOf(subject, one), changesForm: true })),
  bundleOf(subject, "a browser's User-Agent and any Accept", fromScripts, { changesForm: true }),
  bundleOf(subject, 'other formats in Accept', rareFormats, { changesForm: true }),
  bundleOf(subject, "a crawler's User-Agent and the fields of an EventSource", fromCrawlersAndEventSources, {
    changesForm: true,
  }),
  ...bundledChanges(subject),
  ...namedOwner(subject),
  ...documentedOptions(subject),
  ...overrides(subject),
];

/** AUTH-3: no header field of a proxy or a browser replaces the key. */
export const refusesProxyFields = defineRule({
  scope: 'operation',
  id: 'refuses-proxy-fields',
  clauses: ['AUTH-3'],
  title: 'refuses a request without a key whatever fields of a proxy or a browser it carries',
  headline: whereBypassOpens('bypassed'),
  stage: 'bypasses',
  appliesTo: protectedWhenExtended('fields of proxies and method overrides'),
  battery: { tricks: tricksIn(proxyFields), groups: overrideGroups },
  procedure: noneOpens({ bypasses: proxyFields, leftovers: refusesLeftovers }),
  explanation: {
    asks: 'No field that a proxy or a browser would set replaces the key.',
    sends: [
      'Without a key, one by one: X-Forwarded-For with addresses of the machine itself and of private networks, and with unknown; other names in Host, which are never the target’s own, and the own one spelled otherwise or with a public path and ? behind it; what a page of the service itself sends; Accept for pages, CSV and XML; a Range.',
      'All others go many at a time, in some twenty requests, and alone where such a request is not answered as the one without a key. access-conformance plan prints them.',
      'Addresses: every field in which proxies pass on the client’s address (X-Real-IP, CF-Connecting-IP, Forwarded), with a loopback address and with private ones.',
      'Names: fields of single sign-on, gateways, meshes and load balancers that say who asks, that the request comes from inside or that it has passed a gateway (X-Remote-User, X-Forwarded-Email, X-SSL-Client-Verify, X-Internal, X-Request-ID), with underscores too, and unsigned tokens. Where owns in IDENTITIES says how rows name the owner of the key: that name, in fields and in the query.',
      'Targets and methods: fields that rewrite the target (X-Original-URL, X-Forwarded-Uri) with the operation’s path, sent to an open path, and the other way round; other hosts in fields of proxies; method overrides with OPTIONS, and with GET sent by OPTIONS.',
      'Forms: rare media types in Accept; fields of browsers, crawlers, event sources, pages, caches, conditional requests and CORS preflights; made-up session cookies; no User-Agent; Upgrade: websocket and Expect: 100-continue.',
      'Queries: parameters of developers, sessions, searches, exports and versions (debug, internal, signature), and open paths as their values; values that cannot be parsed, in the query and in fields.',
      'Where the document has them: its optional parameters, each with a listed value, a number or a boolean; its required parameters with other listed values; and up to three media types of its successes.',
      'Each that seems to open something also on a path that does not exist, and without the change.',
    ],
    judged: [
      ...judgedAsBypass,
      'With a public path in Host, only what the key gets counts.',
      'A switch to another protocol, and no answer to a request for one, open nothing.',
    ],
    causes: [
      'Requests from “inside” are let through, and the address is taken from a field that anybody can send.',
      'Single sign-on: the application believes X-Remote-User, and can be reached around the proxy that sets it.',
      'Requests for localhost, from the service’s own pages or from browsers count as harmless.',
      'The proxy removes such fields of clients with dashes alone, and the service reads those with underscores alike.',
      'The guard reads the path of a URL that the framework makes from Host.',
      'A cache or an export answers for some media types, for a Range or for crawlers, and stands before the guard.',
      'The guard asks whether there is a session cookie or a debug parameter, and not what it holds.',
      'The guard lets through every target that contains an open path, also in its query.',
      'Health checks, WebSockets, conditional requests or other languages have a route of their own, and it was never given the guard.',
      'The guard takes any request with the fields of a CORS preflight for one, also a GET.',
      'A request without the fields of the own proxy counts as one from inside, and Connection makes the proxy drop them.',
      'An error while a value is parsed lets the request through, or a cache answers for a service that failed.',
      'The framework honours rewrite or override fields after the guard has looked at the request line.',
    ],
    fixes: [
      'Remove these fields at the edge from every request of a client, and let only named proxies be believed.',
      'Switch off support for X-Original-URL, X-Rewrite-URL and method overrides where nothing needs it.',
      'Never let an address stand in for a key.',
    ],
  },
});
