import type { CertificateKind } from '../certificates.js';
import { type FaultDefinition, named, type Unnamed } from '../definitions.js';

/** Faults where the certificate is invalid. */

const badCertificate = (certificate: CertificateKind, title: string): Unnamed<FaultDefinition> => ({
  title,
  clauses: ['HTTPS-1'],
  checks: ['serves-https'],
  certificate,
});

export const certificateFaults = named<FaultDefinition>({
  'certificate-expired': badCertificate('expired', 'The certificate expired yesterday.'),
  'certificate-not-yet': badCertificate('not-yet', 'The certificate is valid from tomorrow.'),
  'certificate-wrong-host': badCertificate('wrong-host', 'The certificate is for another host.'),
});

/** Faults of hosts whose IPv6 address is less protected than their IPv4 address. */
export const ipv6Faults = named<FaultDefinition>({
  'ipv6-needs-no-key': {
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
  'plain-http-over-ipv6': {
    title: 'Plain HTTP redirects on the IPv4 address, and serves on the IPv6 address.',
    clauses: ['HTTPS-2'],
    checks: ['refuses-plain-http'],
    needs: 'ipv6',
    overIpv6: (behaviour) => ({ plain: behaviour.answer, answer: behaviour.answer }),
  },
});
