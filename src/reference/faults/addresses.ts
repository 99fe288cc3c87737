import type { FaultPlan } from '../plan.js';

/** A host with an IPv4 and an IPv6 address, and other rules at the second one. */

export const addressFaults: readonly FaultPlan[] = [
  {
    name: 'ipv6-needs-no-key',
    title: 'The listener on the IPv6 address was set up by hand, and asks for no key.',
    clauses: ['AUTH-3'],
    checks: ['refuses-missing-key'],
    needs: 'ipv6',
    overIpv6: (behaviour) => ({
      plain: behaviour.plain,
      answer: (call) =>
        behaviour.route(call) === 'workout' && call.method === 'GET'
          ? behaviour.represent(call, 'workout', 'mara')
          : behaviour.answer(call),
    }),
  },
  {
    name: 'plain-http-over-ipv6',
    title: 'Plain HTTP redirects on the IPv4 address, and serves on the IPv6 address.',
    clauses: ['HTTPS-2'],
    checks: ['refuses-plain-http'],
    needs: 'ipv6',
    overIpv6: (behaviour) => ({ plain: behaviour.answer, answer: behaviour.answer }),
  },
];
