import { urlIn } from '../urls.js';
import { trustAdvice } from '../wire/tls-facts.js';
import type { Attempt, Exchange, TlsFacts } from '../wire/types.js';
import { answerOf, isCertificateRefused } from './oracle/answers.js';
import { type Ask, defineRule, type Judgement, type SeenFact, type Subject } from './rule.js';
import { firstAnswered, hello } from './support/first-answer.js';
import { because, type Cause, failed, inconclusive, passed } from './support/judgement.js';
import { seenFact } from './support/observation.js';
import { again } from './support/requests.js';

/** HTTPS-1: the API is served over HTTPS, with a valid certificate for its host. */
export const servesHttps = defineRule({
  scope: 'service',
  id: 'serves-https',
  clauses: ['HTTPS-1'],
  title: 'is served over HTTPS with a valid certificate for its host',
  stage: 'service',
  explains: 'connection',
  explanation: {
    asks: 'The API is served over HTTPS at the base URL, with a certificate that is valid today and made out for that host.',
    sends:
      'One GET to the base path, on a connection of its own; up to five more where the certificate looks wrong, there or at any other request of the run.',
    judged: [
      'Failed: the certificate has expired, is not valid yet, was revoked, names other hosts (RFC 9525), or is not made for servers.',
      'Inconclusive: its issuer is not known on this machine, which says nothing about the issuer; or nothing answered; or INSECURE_TLS=true.',
      'Passed: a request got through with the certificate verified.',
    ],
    causes: [
      'The renewal did not run, or ran and the server was never reloaded.',
      'The host name was added after the certificate was made, or a default certificate of the proxy is served.',
      'The server sends its own certificate without the intermediate one: browsers often know it already, other clients do not.',
    ],
    fixes: [
      'Renew the certificate, reload every server and proxy that holds it, and look at it with openssl s_client -connect HOST:443 -servername HOST.',
      'Have the host of the base URL among the certificate’s subjectAltName entries.',
      'Serve the full chain (fullchain.pem, not cert.pem). An authority of your own goes into CA_FILE.',
    ],
  },
  appliesTo: () => true,
  probes: (subject) => [hello(subject)],
  watches: ({ attempts }) => attempts.some(isRefused),
  judge: (ask, subject) => {
    const exchange = firstAnswered(ask, subject);
    const error = exchange.attempts.at(-1)?.error;
    const tls = exchange.attempts.findLast((attempt) => attempt.tls)?.tls;
    const unclear = (cause: Cause, reason: string): Judgement => inconclusive(cause, reason, [exchange]);
    if (subject.deployment.insecureTls && !error)
      return unclear(because('certificate-not-judged'), 'INSECURE_TLS=true: the certificate was not judged.');
    const fault = tls && certificateFault(tls, subject, error?.code === 'certificate');
    if (fault) return confirmed(ask, subject, [exchange], fault);
    if (tls?.authorizationError === 'INVALID_PURPOSE')
      return unclear(
        because('unsuitable-certificate'),
        'An issuer in the chain may not issue certificates of servers (INVALID_PURPOSE), so clients refuse it. Whether the deployment sends it or CA_FILE holds it is not known here.',
      );
    if (error?.code === 'certificate')
      return unclear(
        because('untrusted-certificate', tls?.authorizationError),
        untrustedIn(tls, error.message, subject),
      );
    if (!answerOf(exchange))
      return unclear(
        because('no-answer', error?.atProxy ? 'proxy' : error?.code),
        `The deployment gave no answer over HTTPS: ${error?.message ?? 'nothing came'}.`,
      );
    if (!tls) return unclear(because('certificate-not-judged'), 'Nothing is known of the certificate.');
    return (
      seenElsewhere(ask, subject) ??
      passed(
        `${tls.version}, certificate valid until ${tls.chain[0]?.validTo.slice(0, 10) ?? 'unknown'}.`,
        [exchange],
        { facts: [tlsFact(tls, exchange)] },
      )
    );
  },
});

/** The certificate of the target, not of a proxy on the way, was not accepted. */
const isRefused = (attempt: Attempt): boolean => attempt.tls !== undefined && isCertificateRefused(attempt);

/**
 * The judgement by connections of other checks: one of several servers may have another
 * certificate.
 */
const seenElsewhere = (ask: Ask, subject: Subject): Judgement | undefined => {
  const refused = (subject.watched ?? []).filter(({ probe }) => probe.origin === subject.deployment.origin);
  const [first] = refused;
  if (!first) return undefined;
  const faulty = refused.filter((one) => faultIn(one, subject) !== undefined);
  const fault = faulty[0] && faultIn(faulty[0], subject);
  if (fault) return confirmed(ask, subject, faulty, fault);
  const { error, tls } = first.attempts.find(isRefused) ?? {};
  return inconclusive(
    because('untrusted-certificate', tls?.authorizationError),
    `Not on every connection, but on some: ${untrustedIn(tls, error?.message ?? '', subject)}`,
    [first],
  );
};

/** What is wrong with a certificate that one of these attempts got. */
const faultIn = ({ attempts }: Exchange, subject: Subject): string | undefined =>
  attempts
    .map((attempt) => attempt.tls && certificateFault(attempt.tls, subject, isRefused(attempt)))
    .find((fault) => fault !== undefined);

/** Why the certificate is not trusted, and how to fix it. */
const untrustedIn = (tls: TlsFacts | undefined, message: string, { deployment }: Subject): string => {
  if (!tls) return `The certificate is not accepted here (${message}).`;
  const { says, advice } = trustAdvice(tls, deployment.caFile === true);
  return `${says} ${advice}`;
};

/** The organization of a certificate's issuer. It stays the same when a certificate is renewed. */
const organizationOf = (issuer: string): string => /(?:^|[\n,/]\s*)O=([^\n,/]+)/.exec(issuer)?.[1]?.trim() ?? issuer;

/** The negotiated version and the issuer, as a fact without dates. */
const tlsFact = (tls: TlsFacts, exchange: Exchange): SeenFact => {
  const issuer = organizationOf(tls.chain[0]?.issuer ?? '');
  return seenFact({
    gap: 'GAP-TRANSPORT',
    id: 'tls',
    words: `${tls.version}, with a certificate of ${issuer || 'an issuer without a name'}.`,
    reads: [exchange],
    shows: () => ({ version: tls.version, issuer }),
  });
};

/** How often a certificate that looks wrong is asked for again. */
const mostTries = 6;

/**
 * Failed if the fault is seen again. One of several servers may have that certificate, so other
 * connections may show another one.
 * @param seen exchanges with the fault; at least one
 */
const confirmed = (ask: Ask, subject: Subject, seen: readonly Exchange[], fault: string): Judgement => {
  const isFaulty = (one: Exchange): boolean => faultIn(one, subject) !== undefined;
  const first = firstAnswered(ask, subject);
  const tries = seen.slice(0, mostTries);
  while (tries.length < mostTries && !tries.slice(1).some(isFaulty))
    tries.push(ask(again(first.probe, tries.length + 1)));
  const shown = tries.filter(isFaulty);
  if (shown.length < 2)
    return inconclusive(
      because('changes-between-tries'),
      `${fault} On ${tries.length - 1} more connections it was another certificate.`,
      tries,
    );
  const tls = shown.at(-1)?.attempts.findLast((attempt) => attempt.tls)?.tls;
  const isAlways = [first, ...tries].every(isFaulty);
  const often = isAlways ? '' : ' Not on every connection: one of several servers may have it.';
  return failed(because('bad-certificate', tls?.authorizationError), `${fault}${often}`, shown.slice(0, 2), {
    expected: `a certificate that is valid now and for ${new URL(subject.deployment.origin).hostname}`,
    seen: fault,
  });
};

/** What is wrong with the certificate itself. An unknown issuer may be known elsewhere. */
const certificateFault = (tls: TlsFacts, { deployment }: Subject, refused: boolean): string | undefined => {
  const [leaf] = tls.chain;
  const host = new URL(deployment.origin).hostname.replace(/^\[|\]$/g, '');
  const now = deployment.at ?? Date.now();
  if (leaf) {
    if (Date.parse(leaf.validTo) < now) return `The certificate expired on ${leaf.validTo.slice(0, 10)}.`;
    if (Date.parse(leaf.validFrom) > now) return `The certificate is not valid before ${leaf.validFrom.slice(0, 10)}.`;
    if (refused && leaf.notForServers)
      return 'The certificate is not made for servers: its extended key usage lacks serverAuth (RFC 5280, section 4.2.1.12).';
    if (refused && tls.authorizationError === 'ERR_TLS_CERT_ALTNAME_INVALID')
      return `The certificate is for ${leaf.altNames.join(', ') || leaf.subject}, not for ${host}.`;
    if (refused && leaf.altNames.length > 0 && !leaf.altNames.some((name) => matches(name, host)))
      return `The certificate is for ${leaf.altNames.join(', ')}, not for ${host}.`;
    // The common name of the subject is no host name (RFC 9525, section 2), although some clients
    // still accept it.
    if (leaf.altNames.length === 0)
      return `The certificate names no host: it has no subject alternative names, and clients no longer take ${leaf.subject || 'its subject'} for one (RFC 9525).`;
  }
  if (tls.authorizationError === 'CERT_HAS_EXPIRED') return 'A certificate of the chain has expired.';
  if (tls.authorizationError === 'CERT_NOT_YET_VALID') return 'A certificate of the chain is not valid yet.';
  if (tls.authorizationError === 'CERT_REVOKED') return 'The certificate was revoked.';
  return undefined;
};

/** RFC 9525, section 6.3: whole names, and a wildcard only for the leftmost label. */
const matches = (altName: string, host: string): boolean => {
  const name = altName
    .replace(/^(?:DNS|IP Address|IP):/i, '')
    .trim()
    .toLowerCase();
  if (name === host.toLowerCase()) return true;
  if (/^[\d.]+$/.test(host)) return false;
  if (host.includes(':') || name.includes(':')) return compactIpv6(name) === compactIpv6(host);
  return name.startsWith('*.') && host.toLowerCase().split('.').slice(1).join('.') === name.slice(2);
};

const compactIpv6 = (address: string): string => urlIn(`http://[${address}]/`)?.hostname ?? address;
