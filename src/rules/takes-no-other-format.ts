import { equivalentKeys, type KeyPlacement } from './documented-request/key-placements.js';
import { acceptsNone, batteryOf, placementsOf } from './documented-request/other-placements.js';
import { defineRule, type OperationSubject } from './rule.js';
import { protectedOperations } from './support/applies-to.js';

const otherFormats = (subject: OperationSubject): readonly KeyPlacement[] => [
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
  battery: batteryOf(otherFormats),
  procedure: acceptsNone(otherFormats),
  explanation: {
    asks: 'The key is taken in the documented format and in no other.',
    sends:
      'The whole, right key in other formats: the word in front of it in other case (unless it is a scheme of HTTP, whose case means nothing), two spaces, a tab, other words (Bearer, ApiKey), bare, quoted, something appended, in the other case where all its letters are of one, and two fields at once.',
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
