import {
  broken,
  judgedByDocumentedRequest,
  openedOtherwise,
  passesWhenOpened,
  sendsDocumentedRequest,
} from './documented-request/documented-request-rule.js';
import { defineRule } from './rule.js';
import { protectedOperations } from './support/applies-to.js';
import { because } from './support/causes.js';

/** PATH-1: the resource answers at the documented path itself. */
export const servesDocumentedPath = defineRule({
  scope: 'operation',
  id: 'serves-documented-path',
  clauses: ['PATH-1'],
  title: 'is served at the documented path',
  stage: 'keyed',
  appliesTo: protectedOperations,
  explains: 'keyed-read',
  unprobed: { access: 'any', givesReason: true },
  procedure: judgedByDocumentedRequest((request, subject) => {
    if (request.state === 'elsewhere')
      return broken(
        request,
        because('answers-elsewhere', request.words),
        `The documented path does not open with the key, but ${request.words} does.`,
        { expected: `an answer at ${subject.operation.target}`, seen: `an answer at ${request.words}` },
      );
    if (request.state === 'nothing-there')
      return broken(request, request.cause, request.reason, {
        expected: `an answer at ${subject.operation.target}`,
        seen: 'no such path',
      });
    return openedOtherwise(request, 'It answers at the documented path, though not to the documented request.');
  }),
  explanation: {
    asks: 'The resource answers at the documented path itself: prefix, version, name and trailing slash as written.',
    sends: sendsDocumentedRequest,
    judged: [
      passesWhenOpened,
      'Failed: the path is answered like one that does not exist (404), or only by a redirect to another spelling.',
      'Failed: a neighbour opens instead (without the slash, another version); the report names it.',
      'Inconclusive: BASE_URL ends in what the documented path begins with (https://host/api/v2 and /api/v2/workout/), and nothing opens there.',
      'Inconclusive: it redirects to a place of another name. The server chose it, so the key is not sent there; the document has to name it.',
      'Inconclusive: everything is answered alike, as by a firewall or with a wrong base URL.',
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
});
