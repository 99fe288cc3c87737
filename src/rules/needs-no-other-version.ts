import { protectedOperations } from './applies-to.js';
import {
  documentedRequest,
  passesWhenOpened,
  rests,
  sendsDocumentedRequest,
  teller,
} from './documented-request-rule.js';
import { failed, passed } from './judgements.js';
import { defineRule } from './rule.js';
import { versionOf } from './versions.js';

/** PATH-2: the version segment of the path is enough to choose the version. */
export const needsNoOtherVersion = defineRule({
  scope: 'operation',
  id: 'needs-no-other-version',
  clauses: ['PATH-2'],
  title: 'needs nothing but the path to choose the version',
  stage: 'keyed',
  appliesTo: (subject) => protectedOperations(subject) && versionOf(subject) !== undefined,
  explains: 'keyed read',
  procedure: documentedRequest((way, subject) => {
    if (way.state === 'other-version')
      return failed(
        `It opens only when the version is sent beside the path too: ${way.words}.`,
        [way.opened, ...way.controls.keyed],
        {
          expected: 'the version segment of the path is enough',
          seen: `opened by ${way.words}`,
          comparedWith: way.controls.all,
        },
      );
    if (way.state === 'other-shape') return passed('No version had to be sent beside the path.', [way.opened]);
    return rests(way, subject, teller(way));
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
