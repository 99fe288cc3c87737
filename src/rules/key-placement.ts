import { type DocumentedRequest, documentedRequest } from './documented-request/documented-request.js';
import {
  eachRequirement,
  failedRequest,
  judgedByDocumentedRequest,
  ofRequirement,
  openedOtherwise,
  otherUsableRequirements,
  passesWhenOpened,
  restsOn,
  sendsDocumentedRequest,
} from './documented-request/documented-request-rule.js';
import {
  correctionOf,
  doubtOf,
  equivalentKeys,
  type KeyPlacement,
  keysOfOtherSchemes,
} from './documented-request/key-placements.js';
import { acceptsNone, placementsOf } from './documented-request/placement-rule.js';
import { controlsOf } from './oracle/controls.js';
import { isUsable, usable } from './oracle/usable-controls.js';
import { type Ask, defineRule, type Judgement, type OperationSubject } from './rule.js';
import { because, inconclusive } from './support/judgement.js';
import { canSendKey, locationOf, protectedOperations, securityRequirementOf } from './support/subjects.js';

/** AUTH-1 and AUTH-2: the key is taken in the documented place and format, and nowhere else. */

const inAnotherPlace = (request: DocumentedRequest): Judgement | undefined =>
  request.state === 'other-placement' && request.placement.clause === 'AUTH-1'
    ? failedRequest(
        request,
        because('needs-other-place', request.placement.words),
        `The documented place does not open it, but ${request.placement.words} does.`,
        {
          expected: `the key in ${locationOf(request.placement.scheme)}`,
          seen: request.placement.words,
          note: correctionOf(request.placement),
        },
      )
    : undefined;

/** AUTH-1: the key is taken from the documented place. */
export const takesKeyWhereDocumented = defineRule({
  scope: 'operation',
  id: 'takes-key-where-documented',
  clauses: ['AUTH-1'],
  title: 'takes the key in the documented place',
  stage: 'keyed',
  appliesTo: protectedOperations,
  explains: 'keyed-read',
  unprobed: { access: 'protected', givesReason: false },
  procedure: judgedByDocumentedRequest(
    (request) =>
      inAnotherPlace(request) ??
      openedOtherwise(request, 'The key in the documented place opens it, though not by the documented request.'),
    eachRequirement(inAnotherPlace),
  ),
  explanation: {
    asks: 'The key is taken from the documented place: the header field, query parameter or cookie of its security scheme.',
    sends: sendsDocumentedRequest,
    judged: [
      passesWhenOpened,
      'Failed: the documented place does not open it, and the same key elsewhere does (X-API-Key, X-Auth-Token, the query when PROBE_KEY_IN_URL=true).',
      'Where no form of the key opens it, takes-documented-format says so, and this check rests on it.',
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
});

const otherPlaces = (subject: OperationSubject): readonly KeyPlacement[] => [
  ...placementsOf('AUTH-1')(subject),
  ...keysOfOtherSchemes(subject),
];

/** AUTH-1: the key is taken in the documented place only. */
export const takesKeyNowhereElse = defineRule({
  scope: 'operation',
  id: 'takes-key-nowhere-else',
  clauses: ['AUTH-1'],
  title: 'takes the key nowhere but in the documented place',
  stage: 'placements',
  appliesTo: protectedOperations,
  ...acceptsNone(otherPlaces),
  explanation: {
    asks: 'The key is taken in the documented place and nowhere else.',
    sends: [
      'The whole, right key in other places: X-API-Key, X-Auth-Token; in the query only when PROBE_KEY_IN_URL=true.',
      'The key of each other scheme that the document has and does not list for the operation.',
    ],
    judged: [
      'Lenient: one of them opens it, though only with the valid key. With STRICT=true that is a failure.',
      'Passed: none does.',
    ],
    causes: 'Several ways to authenticate are switched on, often one for older clients.',
    fixes: [
      'Switch off what nobody documents: keys in queries end up in logs, histories and Referer fields.',
      'Or document it as a further security scheme, and it is judged like the first.',
    ],
  },
});

const inAnotherFormat = (request: DocumentedRequest): Judgement | undefined => {
  if (request.state !== 'other-placement' || request.placement.clause !== 'AUTH-2') return undefined;
  const { prefix, encoding } = request.placement.scheme;
  const doubt = doubtOf(request.placement);
  const reason = `The documented format does not open it, but ${request.placement.words} does.`;
  const cause = because('needs-other-format', request.placement.words);
  const found = failedRequest(request, cause, reason, {
    expected: `${prefix}<${encoding === 'base64' ? 'user:password, as base64' : 'key'}>`,
    seen: request.placement.words,
    note: correctionOf(request.placement),
  });
  return doubt === undefined
    ? found
    : inconclusive(cause, `${reason} ${doubt}`, found.exchanges, { comparedWith: request.controls.all });
};

/** A finding if another security requirement, whose key may be wrong, does not open. */
const findingOfRequirement = (request: DocumentedRequest): Judgement | undefined => {
  if (request.state === 'open' || request.state === 'no-key') return undefined;
  if (request.state === 'other-placement') return inAnotherFormat(request);
  const { cause, reason } =
    'reason' in request
      ? request
      : { cause: because('key-opens-nothing', request.state), reason: 'The documented request does not open it.' };
  return inconclusive(cause, reason, request.controls.keyed, { comparedWith: request.controls.all });
};

/** Tries all keys together: FastAPI documents two required keys as alternatives. */
const withAllKeys = (judgement: Judgement, ask: Ask, subject: OperationSubject): Judgement => {
  const others = otherUsableRequirements(subject);
  const open = others.find((each) => documentedRequest(ask, each).state === 'open');
  if (open)
    return {
      ...judgement,
      reason: `${judgement.reason} The key for ${securityRequirementOf(open)} opens it: with that one alone, the run is judged by it.`,
      cause: ofRequirement(judgement, subject),
    };
  const ways = [subject, ...others];
  const security = ways
    .flatMap(({ operation }) => operation.security)
    .filter(
      ({ in: place, field }, index, all) =>
        all.findIndex((one) => one.in === place && one.field.toLowerCase() === field.toLowerCase()) === index,
    );
  if (security.length === subject.operation.security.length) return judgement;
  const { alternatives: _ways, ...operation } = subject.operation;
  const all: OperationSubject = { ...subject, operation: { ...operation, security } };
  const controls = controlsOf(ask, all);
  if (!isUsable(usable(controls))) return judgement;
  return inconclusive(
    because('needs-several-keys', securityRequirementOf(all)),
    `No key opens it alone, and the keys for ${securityRequirementOf(all)} together do: the document gives them as ways of which one is enough, and the server asks for all. If it is right to, the document has to name them in one security requirement.`,
    controls.keyed,
    { comparedWith: controls.all },
  );
};

/** Judges the other requirements, and all keys together if none opens the operation alone. */
const otherRequirementsToo = (judgement: Judgement, ask: Ask, subject: OperationSubject): Judgement => {
  const each = eachRequirement(findingOfRequirement)(judgement, ask, subject);
  return judgement.outcome === 'inconclusive' && canSendKey(subject) ? withAllKeys(judgement, ask, subject) : each;
};

/** AUTH-2: the key is taken in the documented format. */
export const takesDocumentedFormat = defineRule({
  scope: 'operation',
  id: 'takes-documented-format',
  clauses: ['AUTH-2'],
  title: 'takes the key in the documented format',
  stage: 'keyed',
  appliesTo: protectedOperations,
  explains: 'keyed-read',
  unprobed: { access: 'protected', givesReason: false },
  procedure: judgedByDocumentedRequest((request, subject) => {
    const otherwise = inAnotherFormat(request);
    if (otherwise) return otherwise;
    if (request.state === 'other-placement') return restsOn(request, subject, 'takes-key-where-documented');
    if (request.state === 'refused') {
      const { anonymous, keyed, all } = request.controls;
      // What everybody gets is shown by the request without a key.
      const decisive = request.cause.id === 'answers-everybody' ? [anonymous, ...keyed] : keyed;
      return inconclusive(request.cause, request.reason, decisive, { comparedWith: all });
    }
    return openedOtherwise(request, 'The documented format opens it, though not by the documented request.');
  }, otherRequirementsToo),
  explanation: {
    asks: 'The key is taken in the documented format: what its security scheme puts before the key (Token and one space in the fitness data service’s contract), and the key.',
    sends: sendsDocumentedRequest,
    judged: [
      passesWhenOpened,
      'Failed: the documented format is refused, and the same key in another one opens it (Bearer, bare, other case); the report names it.',
      'Inconclusive: no form of the key opens anything. From outside nobody can tell a wrong or expired key from a server that takes none.',
      'Inconclusive: the document says Basic, and the key opens behind another word. It may be of another scheme than the user and password that are meant.',
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
});

const placementsInOtherFormats = (subject: OperationSubject): readonly KeyPlacement[] => [
  ...placementsOf('AUTH-2')(subject),
  ...equivalentKeys(subject),
];

/** AUTH-2: the key is taken in the documented format only. */
export const takesNoOtherFormat = defineRule({
  scope: 'operation',
  id: 'takes-no-other-format',
  clauses: ['AUTH-2'],
  title: 'takes the key in no other format',
  stage: 'placements',
  appliesTo: protectedOperations,
  ...acceptsNone(placementsInOtherFormats),
  explanation: {
    asks: 'The key is taken in the documented format and in no other.',
    sends:
      'The whole, right key in other formats: the word in front of it in other case or before two spaces (unless it is a scheme of HTTP, for which neither matters), a tab, other words (Bearer, ApiKey), bare, quoted, something appended, in the other case where all its letters are of one, and two fields at once.',
    judged: [
      'Lenient: one of them opens it, though only with the valid key. RFC 9110 (11.4) lets several spaces follow a scheme.',
      'Passed: none does.',
      'Blocked: a random key opens it too, in the documented format and in those. That is for refuses-worthless-keys to report.',
      'Inconclusive: the body changes with each read, and one of them got a success that no request without the key gets, where a random key in that format is not refused by status.',
    ],
    causes: [
      'The framework splits the value at any white space and compares the scheme without regard to case, as the RFC has it.',
      'A key column whose collation ignores case.',
    ],
    fixes: [
      'Usually nothing has to be fixed.',
      'Compare keys byte for byte, in constant time; give the column a binary collation. Refuse a request with two Authorization fields.',
    ],
  },
});
