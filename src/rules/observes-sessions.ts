import type { Json } from '../canonical-json.js';
import type { Exchange } from '../wire/types.js';
import { answerOf, isSuccess } from './oracle/answers.js';
import { anonymousControls, keyedControls } from './oracle/control-requests.js';
import { controlsOf } from './oracle/controls.js';
import { isUsable, usable } from './oracle/usable-controls.js';
import { defineRule } from './rule.js';
import { protectedOperations } from './support/applies-to.js';
import { excluded } from './support/judgement.js';
import { observation, observedFacts, seenFact, summaryOf } from './support/observation.js';
import { requestFor } from './support/requests.js';
import { canSendKey } from './support/subjects.js';

/**
 * A cookie from a keyed read, sent without the key. Sessions are allowed, but worth knowing about.
 */
export const observesSessions = defineRule({
  scope: 'operation',
  id: 'observes-sessions',
  title: 'whether a cookie stands in for the key',
  stage: 'bypasses',
  gaps: ['GAP-ERRORS'],
  appliesTo: protectedOperations,
  probes: (subject) => (canSendKey(subject) ? [...anonymousControls(subject), ...keyedControls(subject)] : []),
  judge: (ask, subject) => {
    if (!canSendKey(subject)) return excluded('No key was given that may be sent, so there is nothing to observe.');
    const controls = controlsOf(ask, subject);
    const [keyed] = controls.keyed;
    const sets = answerOf(keyed)?.headers.some(([name]) => name.toLowerCase() === 'set-cookie') ?? false;
    const fact = (words: string, reads: readonly Exchange[], shows: () => Json) =>
      observedFacts([seenFact({ gap: 'GAP-ERRORS', id: 'session', words, reads, shows })]);
    if (!sets) return fact('A read with the key sets no cookie.', controls.keyed, () => ({ setsCookie: false }));
    const alone = ask(
      requestFor(subject, {
        name: 'with the cookie of a keyed read alone',
        credential: 'none',
        headers: [['Cookie', '<COOKIES>']],
        connection: 'fresh',
      }),
    );
    const good = usable(controls);
    const answer = answerOf(alone);
    const opened =
      isUsable(good) && answer !== undefined && isSuccess(answer) && answer.shape.digest === good.first.shape.digest;
    return fact(
      `A read with the key sets a cookie; sent alone it is answered with ${summaryOf(alone)}${opened ? ', and opens the operation' : ''}.`,
      [alone],
      () => ({ setsCookie: true, opens: opened }),
    );
  },
  explanation: observation(
    'Does a cookie stand in for the key?',
    'Where a read with the key sets a cookie: one read with that cookie alone.',
    'whether a cookie is set, and whether it opens the operation.',
    'An API that takes keys needs no session. Where there is one, mind cross-site request forgery.',
  ),
});
