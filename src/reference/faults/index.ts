import { fieldsOf } from '../call.js';
import type { FaultPlan } from '../plan.js';

export const faultPlans: readonly FaultPlan[] = [
  {
    name: 'no-key-asked',
    title: 'The workouts of one user are served to everybody, key or not.',
    clauses: ['AUTH-3'],
    checks: ['refuses-missing-key'],
    twist: () => ({ identify: () => 'mara' }),
  },
  {
    name: 'plain-http',
    title: 'The whole API is served over plain HTTP too.',
    clauses: ['HTTPS-2'],
    checks: ['refuses-plain-http'],
    twist: ({ answer }) => ({ plain: answer }),
  },
  {
    name: 'wants-bearer',
    title: 'The key is taken after the word Bearer, not Token.',
    clauses: ['AUTH-2'],
    checks: ['takes-documented-format'],
    twist: (_, { keys }) => ({
      identify: (call) => keys.get(/^Bearer (\S+)$/.exec(fieldsOf(call, 'Authorization')[0] ?? '')?.[1] ?? ''),
    }),
  },
  {
    name: 'public-needs-key',
    title: 'Exercises and ingredients are refused without a key.',
    clauses: ['AUTH-4'],
    checks: ['opens-without-credentials'],
    twist: () => ({ guards: () => true }),
  },
];
