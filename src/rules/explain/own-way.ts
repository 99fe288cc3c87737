import type { Explanation } from '../../report/explain.js';

const documentedRequest = [
  'Two GETs with the key in the documented place and format.',
  'To compare with: one without a key, one of a sibling path that does not exist (with the key and without), one of the base path.',
  'Where the key does not open it: other shapes of the key, the version sent beside the path, and neighbouring paths, each with the key and with a wrong one.',
];

const opens =
  'Passed: both reads with the key are answered with 2xx, agree with each other, and differ from the answers where nothing is.';

/** PATH-1 to PATH-3, AUTH-1 and AUTH-2, and what a server takes beyond them. */
export const ownWay: Readonly<Record<string, Explanation>> = {
  'serves-documented-path': {
    asks: 'The resource answers at the documented path itself: prefix, version, name and trailing slash as written.',
    sends: documentedRequest,
    judged: [
      opens,
      'Failed: the path is answered like one that does not exist (404), or only by a redirect to another spelling.',
      'Failed: a neighbour opens instead (without the slash, another version); the report names it.',
      'Inconclusive: BASE_URL ends in what the documented path begins with (https://host/api/v2 and /api/v2/workout/), and nothing opens there.',
      'Inconclusive: it redirects to a place of another name. The server chose it, so the key is not sent there; the document has to name it.',
      'Inconclusive: everything is answered alike, which speaks of a firewall or a wrong base URL.',
    ],
    causes: [
      'The framework redirects to its own idea of a trailing slash.',
      'A proxy strips or adds a prefix.',
      'BASE_URL holds a part of the path twice, or lacks one.',
    ],
    fixes: [
      'Register the route exactly as documented; a redirect does not count, since many clients drop the key on the way.',
      'Look at what the application sees behind the proxy.',
      'Compare BASE_URL and the document’s path: together they are the URL in the report’s curl line.',
    ],
  },
  'needs-no-other-version': {
    asks: 'The version segment of the path is enough to choose the version.',
    sends: documentedRequest,
    judged: [
      opens,
      'Failed: it opens only when the version is sent elsewhere as well (Api-Version, X-Api-Version, Accept-Version, a parameter of Accept, the query), and not with a version there that means nothing.',
    ],
    causes: 'Version negotiation by a field, left over from another API generation, is still mandatory.',
    fixes: 'Take the version from the path, and give the field a default.',
  },
  'reads-with-get': {
    asks: 'The resource is read with the documented method and no body.',
    sends: documentedRequest,
    judged: [opens, 'Failed: 405 with an Allow field that leaves the documented method out.'],
    causes: 'The route takes POST alone (search endpoints often do), or a gateway allows too few methods.',
    fixes: 'Register the documented method, and see that the gateway’s list of methods has it.',
  },
  'takes-key-where-documented': {
    asks: 'The key is taken from the documented place: the header field, query parameter or cookie of its security scheme.',
    sends: documentedRequest,
    judged: [
      opens,
      'Failed: the documented place does not open it, and the same key elsewhere does (X-API-Key, X-Auth-Token, the query when PROBE_KEY_IN_URL=true).',
      'Where no shape of the key opens it, takes-documented-format says so, and this check rests on it.',
    ],
    causes: [
      'A gateway uses Authorization for itself, or removes it before the application.',
      'Apache with CGI or WSGI keeps Authorization from the application unless told otherwise.',
      'The application reads a field of its own.',
    ],
    fixes: [
      'Pass the field on (Apache: WSGIPassAuthorization On or CGIPassAuth On; nginx: proxy_set_header Authorization $http_authorization;).',
      'Read the key from Authorization; others may stay as an addition.',
    ],
  },
  'takes-documented-format': {
    asks: 'The key is taken in the documented format: what its security scheme puts before the key (Token and one space in the fitness data service’s contract), and the key.',
    sends: documentedRequest,
    judged: [
      opens,
      'Failed: the documented format is refused, and the same key in another one opens it (Bearer, bare, other case); the report names it.',
      'Inconclusive: no shape of the key opens anything. From outside nobody can tell a wrong or expired key from a server that takes none.',
    ],
    causes: [
      'The key in API_KEY is wrong, expired, revoked, or of another environment.',
      'The framework’s default scheme is Bearer.',
      'The scheme is compared with its case, or the whole value with a fixed prefix.',
    ],
    fixes: [
      'Try the curl line of the report by hand with a key that is known to be good.',
      'Set the keyword of the authentication class to the documented word.',
    ],
  },
  'takes-key-nowhere-else': {
    asks: 'The key is taken in the documented place and nowhere else.',
    sends:
      'The whole, right key in other places: X-API-Key, X-Auth-Token; in the query only when PROBE_KEY_IN_URL=true.',
    judged: [
      'Lenient: one of them opens it. Who sends it holds the key, so nobody else is served; with STRICT=true it weighs.',
      'Passed: none does.',
    ],
    causes: 'Several ways to authenticate are switched on, often one for older clients.',
    fixes: [
      'Switch off what nobody documents: keys in queries end up in logs, histories and Referer fields.',
      'Or document it as a further security scheme, and it is judged like the first.',
    ],
  },
  'takes-no-other-format': {
    asks: 'The key is taken in the documented format and in no other.',
    sends:
      'The whole, right key in other formats: the scheme’s word in other case, two spaces, a tab, other words (Bearer, ApiKey), bare, quoted, something appended, in the other case where all its letters are of one, and two fields at once.',
    judged: [
      'Lenient: one of them opens it; it serves the key’s owner alone. RFC 9110 (11.1, 11.4) lets a scheme be written in any case and with several spaces.',
      'Passed: none does.',
    ],
    causes: [
      'The framework splits the value at any white space and compares the scheme without regard to case, as the RFC has it.',
      'A key column whose collation ignores case.',
    ],
    fixes: [
      'Mostly nothing: this is worth knowing, not mending.',
      'Compare keys byte for byte, in constant time; give the column a binary collation. Refuse a request with two Authorization fields.',
    ],
  },
};
