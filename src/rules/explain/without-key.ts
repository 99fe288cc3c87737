import type { Explanation } from '../../report/explain.js';

const granted = [
  'Each answer is compared with what the key opens on the same server, by the table below: the first line that fits decides. Granted has to be shown by the answer itself, at whatever status; a 2xx alone proves nothing, nor does a 401.',
  'Failed: one of the requests was granted, and again on a second try, or two different ones each gave a record; the reason names the form.',
  'Passed: all were refused: any 3xx or 4xx, a login page, an error inside a 200, a closed connection where that is a refusal.',
  'Inconclusive: an answer shows neither; the reason says what it has.',
  'Blocked: the key itself opens nothing, so there is nothing to compare with. Inconclusive: afterwards the key no longer opened it (a ban, an outage).',
];

/** AUTH-3: one rule for each way to come without the key. */
export const withoutKey: Readonly<Record<string, Explanation>> = {
  'refuses-missing-key': {
    asks: 'A protected resource is not given to a client that sends no key.',
    sends: [
      'The documented request without any credentials, beside the two reads with the key.',
      'Where the host has an IPv4 and an IPv6 address, and both can be reached from here: once more to the one that was not asked.',
    ],
    judged: granted,
    causes: [
      'The default of the framework is “allow”, and this route was never given its guard.',
      'Authentication runs, and nothing demands that it succeeded (an optional user).',
      'A cache in front serves what somebody with a key fetched.',
    ],
    fixes: [
      'Deny by default, and open public routes by name (in Django REST framework: DEFAULT_PERMISSION_CLASSES = [IsAuthenticated]).',
      'Send Vary: Authorization and Cache-Control: private or no-store with protected answers.',
      'Answer 401 with a WWW-Authenticate field: the contract leaves it open, and clients like it.',
    ],
  },
  'refuses-worthless-keys': {
    asks: 'Nothing that merely looks like a key opens a protected resource.',
    sends: [
      'In the documented place: an empty value, the scheme’s word alone, a random key of the same length and alphabet, the first half of the key, the key with one character changed in the middle, with its last characters changed, with its case flipped where the key mixes cases, a * or a _ for each of its characters, and words a lookup may stumble over (null, None, undefined, constructor, true, 0, *, %, .*, %20, %00, letters that are not ASCII, and with the extended probes one single quote).',
      'A wrong key under other schemes, twice, without a scheme, in X-API-Key, and one of 8,000 characters; apikey and access_token without a value, as field and in the query.',
      'Of user and password also the right user with an empty password and a few words; of a key in three parts (a JSON Web Token) also another signature and none.',
      'The same by each other way that the document gives; where several keys travel together, each of them left out, and wrong beside the others.',
      'They go out last: a server may ban who sends them.',
    ],
    judged: granted,
    causes: [
      'Only the presence or the format of the field is looked at, often in a gateway that leaves the rest to a service that leaves it to the gateway.',
      'The lookup takes prefixes or patterns (LIKE, GLOB, startsWith), or the comparison is cut (bcrypt reads 72 bytes), or an empty key finds the first user without one.',
      'A key table in an object whose prototype has members: keys["constructor"] is found.',
      'An error while checking the key lets the request through.',
    ],
    fixes: [
      'Look the whole key up, by its hash, and compare in constant time.',
      'Refuse empty values before the lookup; use a Map or a table, not an object.',
      'Fail closed: an exception in authentication is a refusal.',
    ],
  },
  'refuses-other-spellings': {
    asks: 'However its path is spelled, a protected resource is not given without the key.',
    sends: [
      'Without a key, at each place of the path where they can stand: //, /./, /x/../, ..;, ;x, an encoded letter or slash (once and twice), upper case, a backslash, no slash, .json, .csv, .xml, ;x.css, ?format= with json, csv, xml and html, ?callback=, ?x.css, a public path in the query, out of a public path, the absolute form of the request target.',
      'Each that seems to open something is sent to a path that does not exist as well. HEAD and OPTIONS, and one read over HTTP/2 where the server offers it.',
    ],
    judged: [
      ...granted,
      'HEAD has no body: it is compared by Content-Type and Content-Length or ETag with a HEAD with the key.',
      'An answer to OPTIONS that holds nothing, describes the resource, or is the same elsewhere opens nothing.',
    ],
    causes: [
      'A proxy or middleware guards paths by comparing strings, and the application normalises the path afterwards.',
      'It lets through what contains the name of something public, or ends like a static file, and looks at the whole target: ?x=/api/v2/exercise/ is in it too.',
      'An export (CSV, XML, a script for a callback) is other code than the list, and was never given its guard.',
      'The guard sits on the route with the slash alone, or on GET alone while HEAD or OPTIONS is served by the same code.',
      'HTTP/2 reaches another virtual host or listener than HTTP/1.1.',
    ],
    fixes: [
      'Guard the handler, not the path: let authentication be part of the route.',
      'Where a gateway must decide, let it normalise the path first, refuse what it had to change, and forward the normalised form.',
    ],
  },
  'refuses-proxy-fields': {
    asks: 'No field that a proxy or a browser would set replaces the key.',
    sends: [
      'Without a key: X-Original-URL and X-Rewrite-URL towards the operation (from an open path) and away from it; X-Forwarded-For, X-Real-IP and their family with loopback and private addresses; X-Original-URI and X-Forwarded-Uri with an open path; X-Remote-User, X-Forwarded-User and their like, of single sign-on and of gateways (X-Auth-Request-User, X-Forwarded-Email, Cf-Access-Authenticated-User-Email, X-MS-CLIENT-PRINCIPAL, X-Consumer-Username, X-User-Id, X-SSL-Client-Verify, X-Envoy-Internal); Host with a name of the machine itself and with one that nobody has (neither is the target’s own), X-Forwarded-Host with the first; Referer and Origin of the service itself; a browser’s Accept and those for CSV and XML; a browser’s and a crawler’s User-Agent; a Range; method overrides with OPTIONS or GET as value.',
      'Each that seems to open something also with the same field on a path that does not exist, and without the field.',
    ],
    judged: granted,
    causes: [
      'Requests from “inside” are let through, and the address is taken from a field that anybody can send.',
      'Single sign-on: the application believes X-Remote-User, and can be reached around the proxy that sets it.',
      'Requests for localhost, from the service’s own pages or from browsers count as harmless.',
      'A cache or an export answers for some media types, for a Range or for crawlers, and stands before the guard.',
      'The framework honours rewrite or override fields after the guard has looked at the request line.',
    ],
    fixes: [
      'Remove these fields at the edge from every request of a client, and let only named proxies be believed.',
      'Switch off support for X-Original-URL, X-Rewrite-URL and method overrides where nothing needs it.',
      'Never let an address stand in for a key.',
    ],
  },
  'refuses-leftovers': {
    asks: 'What an owner’s request leaves behind opens nothing for the next client.',
    sends: [
      'A request without a key on the connection that has just carried one with it.',
      'A read with the key on a query of its own, and the same URL without the key within a second. The query is unique to the run, so no cache of a live service is poisoned.',
      'Where a refusal sets cookies, these, sent back as a browser does; where what the key opens comes with cookies, an invented value of each.',
    ],
    judged: granted,
    causes: [
      'A cache in front of the service ignores Authorization.',
      'A session that exists counts as one that is logged in, and a refusal starts one; or a cookie of that name is enough.',
      'Authentication is kept per connection (as NTLM does), in a thread-local or a global that is not cleared.',
    ],
    fixes: [
      'Send Cache-Control: private or no-store and Vary: Authorization; make the cache pass by requests with credentials (RFC 9111, 3.5).',
      'Authenticate each request by itself; clear request-scoped state in a finally block.',
    ],
  },
};
