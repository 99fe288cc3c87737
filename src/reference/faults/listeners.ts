import type { Override } from '../behaviour.js';
import type { CertificateKind } from '../certificates.js';
import { type FaultDefinition, type Unnamed, withNames } from '../definitions.js';
import { undo, withPath } from '../messages.js';
import { answersWhere, fault } from './plain-http.js';

/** Faults where the certificate is invalid. */

const badCertificate = (certificate: CertificateKind, title: string): Unnamed<FaultDefinition> => ({
  title,
  clauses: ['HTTPS-1'],
  checks: ['serves-https'],
  certificate,
});

export const certificateFaults = withNames<FaultDefinition>({
  'certificate-expired': badCertificate('expired', 'The certificate expired yesterday.'),
  'certificate-not-yet': badCertificate('not-yet', 'The certificate is valid from tomorrow.'),
  'certificate-wrong-host': badCertificate('wrong-host', 'The certificate is for another host.'),
  'certificate-for-clients': badCertificate('for-clients', 'The certificate is made for clients, not for servers.'),
});

/** Faults of hosts whose IPv6 address is less protected than their IPv4 address. */
export const ipv6Faults = withNames<FaultDefinition>({
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

/** Faults where plain HTTP serves the API at other spellings of a path. */

/** Spellings of a path that `meaningOf` normalises reach the API over plain HTTP. */
const answersSpelled =
  (meaningOf: (path: string) => string): Override =>
  (base, { self }) => ({
    plain: (call) => {
      const path = call.path === null ? null : meaningOf(call.path);
      const meant = path === null || path === call.path ? undefined : withPath(call, path);
      return meant && self.route(meant) ? self.answer(meant) : base.plain(call);
    },
  });

export const plainHttpPathFaults = withNames<FaultDefinition>({
  'plain-http-at-double-slash': fault(
    'The redirect to https is made for the documented paths; the application merges slashes.',
    answersSpelled(undo.mergeSlashes),
  ),
  'plain-http-at-double-slash-in-front': fault(
    'The redirect to https is made for paths that begin with one slash; the application drops others.',
    answersSpelled((path) => path.replace(/^\/{2,}/, '/')),
  ),
  'plain-http-at-dot-segment': fault(
    'The redirect to https is made for the documented paths; the application resolves dot segments.',
    answersSpelled((path) => new URL(path, 'http://fitness.example').pathname),
  ),
  'plain-http-at-path-parameter': fault(
    'The redirect to https is made for the documented paths; the application drops path parameters.',
    answersSpelled((path) => path.replace(/;[^/]*/g, '')),
  ),
  'plain-http-below-challenges': fault(
    'The redirect to https leaves out what begins like an ACME challenge; the application resolves `..` afterwards.',
    answersSpelled((path) => path.replace(/^\/\.well-known\/acme-challenge\/\.\.\/\.\.(?=\/)/, '')),
  ),
  'plain-http-with-challenge-in-query': fault(
    'The redirect to https leaves out every target that contains the path of an ACME challenge.',
    answersWhere(({ target }) => target.includes('/.well-known/acme-challenge/') && target.includes('?')),
  ),
  'plain-http-with-query': fault(
    'The redirect to https is made for targets without a query.',
    answersWhere(({ query }) => query.size > 0),
  ),
  'plain-http-in-absolute-form': fault(
    'The redirect to https is made for targets that begin with a slash; the absolute form does not.',
    answersWhere(({ target }) => /^http:/i.test(target)),
  ),
  'plain-http-at-encoded-letter': fault(
    'The redirect to https is made for paths that begin with /api/; the application decodes them.',
    answersSpelled(undo.decodeLetters),
  ),
  'plain-http-in-upper-case': fault(
    'The redirect to https is made for paths in lower case; the application does not care about case.',
    answersSpelled(undo.ignoreCase),
  ),
  'plain-http-without-slash': fault(
    'The redirect to https is made for paths that end with a slash; the application finds the others too.',
    answersSpelled(undo.addLastSlash),
  ),
});
