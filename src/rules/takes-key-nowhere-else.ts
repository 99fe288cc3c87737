import { acceptsNone, batteryOf, placementsOf } from './documented-request/other-placements.js';
import { defineRule } from './rule.js';
import { protectedOperations } from './support/applies-to.js';

/** AUTH-1: the key is taken in the documented place only. */
export const takesKeyNowhereElse = defineRule({
  scope: 'operation',
  id: 'takes-key-nowhere-else',
  clauses: ['AUTH-1'],
  title: 'takes the key nowhere but in the documented place',
  stage: 'placements',
  appliesTo: protectedOperations,
  battery: batteryOf(placementsOf('AUTH-1')),
  procedure: acceptsNone(placementsOf('AUTH-1')),
  explanation: {
    asks: 'The key is taken in the documented place and nowhere else.',
    sends:
      'The whole, right key in other places: X-API-Key, X-Auth-Token; in the query only when PROBE_KEY_IN_URL=true.',
    judged: [
      'Lenient: one of them opens it, though only with the valid key. With STRICT=true that is a failure.',
      'Passed: none does.',
    ],
    causes: 'Several ways to authenticate are switched on, often one for older clients.',
    fixes: [
      'Switch off what nobody documents: keys in queries end up in logs, histories and Referer fields.',
      'Or document it as a further security scheme, and it is judged like the first.',
    ],
  },
});
