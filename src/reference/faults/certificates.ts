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
