import {
  broken,
  judgedByDocumentedRequest,
  openedOtherwise,
  passesWhenOpened,
  sendsDocumentedRequest,
} from './documented-request/documented-request-rule.js';
import { header } from './oracle/answers.js';
import { defineRule } from './rule.js';
import { protectedOperations } from './support/applies-to.js';
import { because } from './support/causes.js';

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
      return broken(
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
