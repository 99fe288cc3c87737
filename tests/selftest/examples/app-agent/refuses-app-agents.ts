import { bypassOf, change } from '../../../../src/rules/bypass/bypass.js';
import { judgedAsBypass, noneOpens } from '../../../../src/rules/bypass/bypass-rule.js';
import { defineRule } from '../../../../src/rules/rule.js';
import { about } from '../../../../src/rules/support/headlines.js';
import { protectedOperations } from '../../../../src/rules/support/subjects.js';

/** How HTTP libraries of mobile apps name themselves. */
const appAgents = ['okhttp/4.12.0', 'Dart/3.5 (dart:io)', 'CFNetwork/1568.100.1 Darwin/24.0.0'] as const;

/** AUTH-3: the User-Agent of a mobile app does not replace the key. */
export const refusesAppAgents = defineRule({
  scope: 'operation',
  id: 'refuses-app-agents',
  clauses: ['AUTH-3'],
  title: 'refuses a request without a key that looks like one of a mobile app',
  headline: () => about('bypassed', 'opens/open to anybody {way}'),
  stage: 'bypasses',
  appliesTo: protectedOperations,
  procedure: noneOpens({
    bypasses: (subject) => appAgents.map((agent) => bypassOf(subject, change('User-Agent', agent))),
  }),
  explanation: {
    asks: 'The name of a mobile app’s HTTP library does not stand in for the key.',
    sends: 'The documented request without a key, with the User-Agent of an HTTP library that mobile apps use.',
    judged: judgedAsBypass,
    causes: 'The guard takes a User-Agent, which anybody can send, for the own app.',
    fixes: 'Give the app a key of its own, and ask every client for one.',
  },
});
