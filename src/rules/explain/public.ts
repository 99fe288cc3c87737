import type { Explanation } from '../../report/explain.js';

/** AUTH-4, and the clauses of documents that state responses. */
export const publicOnes: Readonly<Record<string, Explanation>> = {
  'opens-without-credentials': {
    asks: 'A public resource needs no credentials: the client sends none, and gets it.',
    sends: [
      'A GET with nothing; the same of a path that does not exist and of the base path; a protected operation without a key, to know a refusal when it is seen.',
      'The same GET with the key, where one was given, on a query of its own, so that no cache keeps the answer for others.',
    ],
    judged: [
      'Passed: 2xx with nothing sent, unlike the answers where nothing is and unlike a refusal.',
      'Failed: the key opens what its absence does not: a 2xx instead of another status, of the refusal of protected resources, or of an envelope without its list that tells another outcome.',
      'Inconclusive: full lists with the key and empty ones without it, or another body. The owner may have entries of their own.',
      'Inconclusive: the path is answered like one that does not exist. The contract leaves these paths open; the suite assumes the workout’s shape, and EXERCISE_PATH and INGREDIENT_PATH replace the assumption.',
    ],
    causes: [
      'A deny-by-default guard without an exception for the public resources.',
      'Lists are filtered by the user, and a stranger’s is empty.',
      'The assumed path is not the service’s.',
    ],
    fixes: [
      'Open the public routes by name (in Django REST framework: permission_classes = [AllowAny]), and let their queries not depend on the user.',
      'Set the path where the report says so.',
    ],
  },
  'documented-status': {
    asks: 'An answer to a request that the document promises to serve has one of the statuses that it lists.',
    sends:
      'Nothing of its own: it looks at the reads that other checks made with the credentials that the document asks for.',
    judged: [
      'Failed: a status that the operation’s responses do not list, neither outright, as a range (2XX), nor by default.',
      'Refusals of requests that the document does not promise to serve are not looked at.',
    ],
    causes: 'The service changed and the document did not, or an error of the service.',
    fixes: 'Add the response to the document, or answer as it says.',
  },
  'documented-body': {
    asks: 'The body has the documented media type, and fits its schema.',
    sends:
      'Nothing of its own: it looks at the reads that other checks made with the credentials that the document asks for.',
    judged:
      'Failed: another media type than the ones listed for the status, or a body that the schema refuses; the reason names the place in it.',
    causes: [
      'A member is null or missing in practice, and required or not nullable in the document.',
      'The service changed and the document did not.',
    ],
    fixes: 'Bring the two together: generate one from the other, or test them against each other on every change.',
  },
};
