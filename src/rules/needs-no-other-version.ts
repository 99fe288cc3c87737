import {
  broken,
  judgedByDocumentedRequest,
  openedOtherwise,
  passesWhenOpened,
  sendsDocumentedRequest,
} from './documented-request/documented-request-rule.js';
import { versionOf } from './documented-request/versions.js';
import { defineRule } from './rule.js';
import { protectedOperations } from './support/applies-to.js';
import { because } from './support/causes.js';

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
      return broken(
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
