import { judgedAsBypass, noneOpens, tricksIn } from './bypass/bypass-rule.js';
import { overrideGroups, proxyFields } from './bypass/proxy-fields.js';
import { refusesLeftovers } from './refuses-leftovers.js';
import { defineRule } from './rule.js';
import { protectedWhenExtended } from './support/applies-to.js';
import { about } from './support/headlines.js';

/** AUTH-3: no header field of a proxy or a browser replaces the key. */
export const refusesProxyFields = defineRule({
  scope: 'operation',
  id: 'refuses-proxy-fields',
  clauses: ['AUTH-3'],
  title: 'refuses a request without a key whatever fields of a proxy or a browser it carries',
  headline: ({ id }) => (id === 'opens-by-bypass' ? about('bypassed', 'opens/open to anybody {way}') : undefined),
  stage: 'bypasses',
  appliesTo: protectedWhenExtended('fields of proxies and method overrides'),
  battery: { tricks: tricksIn(proxyFields), groups: overrideGroups },
  procedure: noneOpens({ bypasses: proxyFields, leftovers: refusesLeftovers }),
  explanation: {
    asks: 'No field that a proxy or a browser would set replaces the key.',
    sends: [
      'Without a key: X-Forwarded-For with a loopback address, three private ones, unknown, and a list that begins with localhost; Host with a name of the machine itself and with one that nobody has (neither is the target’s own), X-Forwarded-Host with the first; where the base URL has a port, Host without it; Referer and Origin of the service itself; a browser’s Accept and those for CSV and XML; an EventSource’s Accept with Last-Event-ID; a browser’s and a crawler’s User-Agent; a Range.',
      'Without a key, together in one request each: X-Original-URL and X-Rewrite-URL with the operation’s path, sent to an open path; the same with X-Original-URI, X-Forwarded-Uri, X-Forwarded-Prefix, X-Envoy-Original-Path, X-Matched-Path and their like and an open path, sent to the operation; three method overrides with OPTIONS; the same with GET, sent by OPTIONS.',
      'In another request: the other fields in which proxies pass on the client’s address (X-Real-IP, True-Client-IP, CF-Connecting-IP, Forwarded and their like), all with a loopback address; and again with a private one.',
      'In another request: fields of single sign-on, gateways, meshes and load balancers that say who asks or that the request comes from inside (X-Remote-User, X-Forwarded-User, X-Auth-Request-User, X-Forwarded-Email, Cf-Access-Authenticated-User-Email, X-MS-CLIENT-PRINCIPAL, X-Consumer-Username, X-Amzn-Oidc-Identity, X-Userinfo, X-SSL-Client-Verify, X-Client-Cert, X-Forwarded-Client-Cert, X-Admin, X-Internal, X-Debug, X-Envoy-Internal, X-Middleware-Subrequest and their like) or has passed a gateway (X-Forwarded-Proto, X-Request-ID, CF-Ray, traceparent), X-Forwarded-Method and X-Original-Method with OPTIONS, the loopback address of IPv6, a health checker’s User-Agent.',
      'In another: fields of pages, caches and conditional requests (Origin: null, Sec-Fetch-*, Purpose and Sec-Purpose, Cache-Control, Pragma, Accept-Language, Save-Data, Via, Content-Type, Content-Length: 0, RSC, HX-Request, X-Inertia, Api-Version and their like, If-Modified-Since, If-None-Match), Connection with the names of fields that proxies set, made-up cookies under the names that frameworks give a session, and no User-Agent.',
      'In another: query parameters of developers (debug, trace, message, test, internal, admin, preview), of pages, searches, exports and versions, and some that hold what services commonly leave open (/actuator/health, /login, /docs, /swagger-ui/), with the User-Agent of curl, Accept-Language: en and no content coding.',
      'Where the document has them: its optional parameters together, each with a listed value, a number or a boolean; and up to three other media types of its successes, each in Accept.',
      'In another: values that cannot be parsed, in the query, a long Cookie, Accept-Language, If-Modified-Since, Forwarded and Origin.',
      'In another: Upgrade: websocket and Expect: 100-continue.',
      'Where such a request is not answered as the one without a key, each of its changes alone.',
      'Each that seems to open something also with the same field on a path that does not exist, and without the field.',
    ],
    judged: [...judgedAsBypass, 'A switch to another protocol, and no answer to a request for one, open nothing.'],
    causes: [
      'Requests from “inside” are let through, and the address is taken from a field that anybody can send.',
      'Single sign-on: the application believes X-Remote-User, and can be reached around the proxy that sets it.',
      'Requests for localhost, from the service’s own pages or from browsers count as harmless.',
      'A cache or an export answers for some media types, for a Range or for crawlers, and stands before the guard.',
      'The guard asks whether there is a session cookie or a debug parameter, and not what it holds.',
      'The guard lets through every target that contains an open path, also in its query.',
      'Health checks, WebSockets, conditional requests or other languages have a route of their own, and it was never given the guard.',
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
