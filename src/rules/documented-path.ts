import {
  failedRequest,
  judgedByDocumentedRequest,
  openedOtherwise,
  passesWhenOpened,
  sendsDocumentedRequest,
} from './documented-request/documented-request-rule.js';
import { versionOf } from './documented-request/request-variants.js';
import { header } from './oracle/answers.js';
import { defineRule } from './rule.js';
import { because } from './support/judgement.js';
import { protectedOperations } from './support/subjects.js';

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
      return failedRequest(
        request,
        because('answers-elsewhere', request.words),
        `The documented path does not open with the key, but ${request.words} does.`,
        { expected: `an answer at ${subject.operation.target}`, seen: `an answer at ${request.words}` },
      );
    if (request.state === 'nothing-there')
      return failedRequest(request, request.cause, request.reason, {
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
      'Failed: a neighbour opens instead (without the slash, another version); the report names it. One of another name counts only if the documented path is answered like one that does not exist, or by a redirect.',
      'Inconclusive: 404 as for a missing path, and a request without the key, OPTIONS or the path without its last slash is answered otherwise there: something is there, which this key may not see. So is it if the request without the key got no answer to judge.',
      'Inconclusive: BASE_URL ends in what the documented path begins with (https://host/api/v2 and /api/v2/workout/), and nothing opens there.',
      'Inconclusive: it redirects to a place of another name. The server chose it, so the key is not sent there; the document has to name it.',
      'Inconclusive: it opens only with Content-Type: application/json, which the document does not name.',
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

/** PATH-2: the version in the path is enough to choose the version. */
export const needsNoOtherVersion = defineRule({
  scope: 'operation',
  id: 'needs-no-other-version',
  clauses: ['PATH-2'],
  title: 'needs nothing but the path to choose the version',
  stage: 'keyed',
  appliesTo: (subject) => protectedOperations(subject) && versionOf(subject) !== undefined,
  explains: 'keyed-read',
  procedure: judgedByDocumentedRequest((request) => {
    if (request.state === 'other-version')
      return failedRequest(
        request,
        because('needs-other-version', request.words),
        `It opens only when the version is sent beside the path too: ${request.words}.`,
        { expected: 'the version segment of the path is enough', seen: `opened by ${request.words}` },
      );
    return openedOtherwise(request, 'No version had to be sent beside the path.');
  }),
  explanation: {
    asks: 'The version segment of the path is enough to choose the version.',
    sends: sendsDocumentedRequest,
    judged: [
      passesWhenOpened,
      'Failed: it opens only when the version is sent elsewhere as well (Api-Version, X-Api-Version, Accept-Version, a parameter of Accept, the query), and not with a version there that means nothing.',
    ],
    causes: 'Version negotiation by a field, left over from another API generation, is still mandatory.',
    fixes: 'Take the version from the path, and give the field a default.',
  },
});

/** PATH-3: the resource is read with the documented method and no body. */
export const readsWithGet = defineRule({
  scope: 'operation',
  id: 'reads-with-get',
  clauses: ['PATH-3'],
  title: 'is read with the documented method and no body',
  stage: 'keyed',
  appliesTo: protectedOperations,
  explains: 'keyed-read',
  procedure: judgedByDocumentedRequest((request, subject) => {
    if (request.state === 'other-method')
      return failedRequest(
        request,
        because('needs-other-method', subject.operation.method, header(request.keyed, 'allow')),
        `${subject.operation.method} is not allowed there (405; Allow: ${header(request.keyed, 'allow') ?? ''}).`,
        { expected: subject.operation.method, seen: header(request.keyed, 'allow') ?? '405' },
      );
    return openedOtherwise(
      request,
      'It is read with the documented method and no body, though not by the documented request.',
    );
  }),
  explanation: {
    asks: 'The resource is read with the documented method and no body.',
    sends: sendsDocumentedRequest,
    judged: [passesWhenOpened, 'Failed: 405 with an Allow field that leaves the documented method out.'],
    causes: 'The route takes POST alone (search endpoints often do), or a gateway allows too few methods.',
    fixes: 'Register the documented method, and see that the gateway’s list of methods has it.',
  },
});
