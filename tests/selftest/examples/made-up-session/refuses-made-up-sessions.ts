import { bypassWith } from '../../../../src/rules/bypass/bypass.js';
import { judgedAsBypass, noneOpens } from '../../../../src/rules/bypass/bypass-rule.js';
import { defineRule } from '../../../../src/rules/rule.js';
import { protectedOperations } from '../../../../src/rules/support/applies-to.js';
import { about } from '../../../../src/rules/support/headlines.js';
import { nonce } from '../../../../src/rules/support/targets.js';

const sessionCookies = ['sessionid', 'session', 'connect.sid', 'PHPSESSID', 'JSESSIONID'] as const;

/** AUTH-3: a session that the client made up opens nothing. */
export const refusesMadeUpSessions = defineRule({
  scope: 'operation',
  id: 'refuses-made-up-sessions',
  clauses: ['AUTH-3'],
  title: 'refuses a request without a key that carries a made-up session',
  headline: () => about('bypassed', 'opens/open to anybody {way}'),
  stage: 'bypasses',
  appliesTo: protectedOperations,
  procedure: noneOpens({
    bypasses: (subject) =>
      sessionCookies.map((name) =>
        bypassWith(subject, `a made-up ${name}`, {
          headers: [['Cookie', `${name}=${nonce(subject.deployment, name)}`]],
        }),
      ),
  }),
  explanation: {
    asks: 'A session cookie that the client made up does not stand in for the key.',
    sends: 'The documented request without a key, with one session cookie of a common framework and a random value.',
    judged: judgedAsBypass,
    causes: 'The guard asks whether there is a session, and not whose it is.',
    fixes: 'Look the session up, and refuse one that the server did not start.',
  },
});
