import type { DocumentedRequest } from './documented-request/documented-request.js';
import {
  broken,
  eachRequirement,
  judgedByDocumentedRequest,
  openedOtherwise,
  passesWhenOpened,
  sendsDocumentedRequest,
} from './documented-request/documented-request-rule.js';
import { correctionOf } from './documented-request/key-placements.js';
import { defineRule, type Judgement } from './rule.js';
import { protectedOperations } from './support/applies-to.js';
import { because } from './support/causes.js';
import { locationOf } from './support/subjects.js';

const inAnotherPlace = (request: DocumentedRequest): Judgement | undefined =>
  request.state === 'other-placement' && request.placement.clause === 'AUTH-1'
    ? broken(
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
});
