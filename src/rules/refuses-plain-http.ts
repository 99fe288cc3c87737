import { plainRequests, requestsToOtherAddress, withNothing } from './plain-http/plain-http-requests.js';
import {
  batteryOverPlainHttp,
  nothingOverPlainHttp,
  onPlainPort,
  toOtherAddress,
} from './plain-http/plain-http-rule.js';
import { defineRule } from './rule.js';

/** HTTPS-2: a request over plain HTTP gets nothing of the API. */
export const refusesPlainHttp = defineRule({
  scope: 'operation',
  overPlainHttp: true,
  asksKeyless: true,
  id: 'refuses-plain-http',
  clauses: ['HTTPS-2'],
  title: 'is not reached over plain HTTP',
  stage: 'bypasses',
  appliesTo: onPlainPort,
  battery: batteryOverPlainHttp(plainRequests, { everywhere: [withNothing], asAnswered: [toOtherAddress] }),
  procedure: nothingOverPlainHttp(plainRequests, { after: toOtherAddress, requests: requestsToOtherAddress }),
  explanation: {
    asks: 'The API is reached over HTTPS only: a request over plain HTTP gets nothing of it.',
    sends: [
      'A GET for the operation to the plain-HTTP side (port 80, or HTTP_BASE_URL): with nothing, with a random canary in the key’s place, from a browser, and with two other Hosts (a name of the machine itself, and one that nobody has; neither is the target’s own), as HEAD, and at other spellings of the path: with // or ;x in it, with an encoded letter, in upper case, with or without its last slash, and behind the path of ACME challenges and two dot segments. For a protected operation also OPTIONS, the absolute form of the target, and // at the start of the path.',
      'One request with another query, with the path of an ACME challenge in it, Accept: application/json, Upgrade: websocket, and fields of health checks, scripts, sessions and parts (User-Agent, X-Requested-With, Origin, Cookie, Range, Content-Length: 0); each of them alone where that is answered in another way.',
      'Where the host has an IPv4 and an IPv6 address, and both can be reached from here: once more to the one that was not asked.',
      'The real key never goes over plain HTTP, nor does a value that was read from the service: where the path of a protected operation holds one, a made-up value of its type stands there, over HTTPS too. That shows whether the API itself refuses it over plain HTTP, and not what a value that exists would get.',
      'Where an answer looks like the API’s, the same for a path that does not exist there, and everything once more.',
    ],
    judged: [
      'Passed: refused, closed, timed out while HTTPS answers, not HTTP, any error of the plain side, a redirect to https.',
      'Failed: what HTTPS serves comes over plain HTTP too, also behind a redirect that stays in plain HTTP.',
      'Failed: the API’s own refusal of that operation comes over plain HTTP, where a path that does not exist is answered otherwise: then the API itself answers there, and would read a key that was sent in the clear.',
      'Failed: an answer over plain HTTP holds the key itself, of which nothing was sent.',
      'HEAD shows no more than GET: where GET gets the same status and not from the API, so does HEAD.',
      'OPTIONS: failed where its answer describes the operation as over HTTPS, and missing paths and public operations get another one.',
      'Excluded, for a path with a value that was read from the service: a public operation, or HTTPS answers the made-up value like a path that does not exist.',
      'Inconclusive: HTTP_BASE_URL does not say where the plain-HTTP side is.',
    ],
    causes: [
      'The proxy forwards port 80 to the application instead of redirecting it.',
      'The redirect to https is made for GET alone, and HEAD reaches the application.',
      'The redirect to https is made for targets without a query, or for requests without Upgrade, and others reach the application.',
      'The redirect to https leaves out health checks, scripts of pages or requests with a session, all of which anybody can send.',
      'The redirect to https is made for the web pages, and the API’s paths are left out of it.',
      'The redirect to https is made for paths that begin with certain letters, and the application reads other spellings as the same.',
      'The application’s own port is published beside the proxy.',
    ],
    fixes: [
      'Close port 80 for the API host, or answer every path there with 403 or a redirect to https, before any request reaches the application.',
      'Bind the application to the loopback interface or an internal network.',
      'Refusing is better than redirecting: a client that is redirected has already sent its key in the clear (OWASP ASVS 5.0, 4.1.2).',
      'Say HTTP_BASE_URL=none where no plain-HTTP side exists.',
    ],
  },
});
