import type { Explanation } from '../../report/explain.js';

/** What the contract leaves open: told, never judged. */
const open = (asks: string, sends: string, told: string, use: string): Explanation => ({
  asks: `${asks} The contract leaves it open, so this only tells what it saw.`,
  sends,
  judged: `Always observed: ${told} It cannot fail, and weighs nothing in the verdict.`,
  causes: 'Nothing here is a failure.',
  fixes: use,
});

export const observations: Readonly<Record<string, Explanation>> = {
  'observes-refusals': open(
    'How are a missing and a wrong key answered?',
    'The documented request without a key, and with a random one of the same length and alphabet.',
    'status, WWW-Authenticate, redirect and media type.',
    'A good choice is 401 with a WWW-Authenticate field and a JSON body, the same for both, so that a client can tell its user, and nobody learns which keys exist.',
  ),
  'observes-plain-http': open(
    'How is plain HTTP answered?',
    'One GET to the plain-HTTP side with nothing.',
    'the answer, and whether it redirects to https.',
    'Refusing shows a client its mistake; a redirect lets it go on after it has sent its key in the clear (OWASP ASVS 5.0, 4.1.2).',
  ),
  'observes-bad-key': open(
    'How does a public resource answer a wrong key?',
    'The public operation with a random key, on a query of its own, so that no page cache keeps a refusal.',
    'whether it is served all the same or refused.',
    'Common frameworks refuse (401 or 403), since authentication runs before permissions; serving is kinder to clients with an expired key.',
  ),
  'observes-neighbours': open(
    'What answers beside the documented path?',
    'With the key: without the slash, other versions, no version, no /api, the name in the plural.',
    'the answer of each.',
    'Older versions that still answer are worth a look: they are where guards get forgotten.',
  ),
  'observes-limits': open(
    'Which limits do the answers name?',
    'Nothing of its own where a read was made already.',
    'RateLimit fields, Retry-After, a 429 that was met, the number of items of a page.',
    'Naming limits (the RateLimit fields, Retry-After with every 429) lets clients behave.',
  ),
  'observes-representation': open(
    'What does the representation look like?',
    'Nothing of its own where a read was made already.',
    'status, media type, size and the names of members. Names alone: what the key opens is somebody’s data.',
    'Write the members into the OpenAPI document, and documented-status and documented-body judge them.',
  ),
  'observes-sessions': open(
    'Does a cookie stand in for the key?',
    'Where a read with the key sets a cookie: one read with that cookie alone.',
    'whether a cookie is set, and whether it opens the operation.',
    'An API that takes keys needs no session. Where there is one, mind cross-site request forgery.',
  ),
  'observes-public-path': open(
    'What answers at the path that was assumed?',
    'One GET with nothing, and the places that redirects lead to.',
    'the answer, and which setting replaces the path.',
    'Set EXERCISE_PATH or INGREDIENT_PATH, or fill the gap with an overlay.',
  ),
};
