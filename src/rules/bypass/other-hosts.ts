import type { HeaderPair } from '../../wire/types.js';
import { answerOf, answersOf, isRedirect } from '../oracle/answers.js';
import { publicOperations } from '../oracle/control-requests.js';
import { readExchange } from '../oracle/reading.js';
import { isSame } from '../oracle/same.js';
import type { OperationSubject } from '../rule.js';
import { bundled } from '../support/bundles.js';
import { otherHosts } from '../support/other-address.js';
import { again, missingOf } from '../support/requests.js';
import { onItsOwnQuery, splitTarget, targetOf } from '../support/targets.js';
import {
  type Bypass,
  bypassOf,
  type Change,
  change,
  headerChange,
  onlyOwnersData,
  type ReadWith,
  showsOwners,
  withoutRecords,
} from './bypass.js';

/** Requests that name another host, which may be another service at the same address. */

/** Fields in which proxies pass on the host that was asked for. Frameworks read them for Host. */
const hostFields = ['X-Forwarded-Host', 'X-Host', 'X-Original-Host', 'X-HTTP-Host-Override'] as const;

/**
 * Other host names: one of this machine, and one that no host has. Another virtual host answers
 * something else. A redirect that repeats the name would lead to this machine, so it is not
 * followed.
 */
export const virtualHosts = (subject: OperationSubject): readonly Bypass[] => {
  // With a query of its own: a cache whose key ignores this field would keep links made from it.
  const apart = onItsOwnQuery(subject, 'host');
  const hosts = otherHosts(subject.deployment);
  const [machine] = hosts;
  const changes: readonly Change[] = [...hosts.map((name) => change('Host', name)), ...ownHostSpelled(subject)];
  const make = (one: Change): Bypass => atAnotherHost(subject, one);
  const inFields = (fields: readonly string[], words: string): Bypass =>
    make({ words, headers: fields.map((field) => [field, machine]), target: apart });
  return [
    ...changes.map(make),
    bundled(inFields(hostFields, 'fields of proxies with another host'), () =>
      hostFields.map((field) => inFields([field], `${field}: ${machine}`)),
    ),
    { ...bypassOf(subject, publicPathInHost(subject)), readWith: onlyOwnersData },
  ];
};

/**
 * Frameworks put Host and target together to the URL that a guard reads. Behind a `?` in Host, the
 * target is the query of a public path.
 */
const publicPathInHost = (subject: OperationSubject): Change => {
  const [open] = publicOperations(subject);
  const [path] = splitTarget(targetOf(open ? { ...subject, operation: open } : subject));
  return headerChange('Host with a public path behind it', 'with a public path in Host', [
    'Host',
    `${new URL(subject.deployment.origin).host}${open ? path : '/'}?`,
  ]);
};

/**
 * A read as in the health check of a load balancer. It names no host, neither in Host nor in the
 * TLS handshake, so it may reach another service.
 */
export const overHttp10 = (subject: OperationSubject): Bypass =>
  atAnotherHost(subject, {
    words: 'a read over HTTP/1.0 without Host',
    how: 'over HTTP/1.0 without a host name',
    protocol: 'http/1.0',
    connection: 'fresh',
    headers: [['Host', '']],
  });

/** Spellings of the own host name that are equal for DNS but different as text. */
const ownHostSpelled = ({ deployment }: OperationSubject): readonly Change[] => {
  const { hostname, port } = new URL(deployment.origin);
  const withoutPort = port === '' ? [] : [{ words: 'Host without its port', headers: [['Host', hostname] as const] }];
  if (!/[a-z]$/i.test(hostname)) return withoutPort;
  const spelled = (name: string): readonly HeaderPair[] => [['Host', port === '' ? name : `${name}:${port}`]];
  return [
    {
      words: 'Host with a dot at its end',
      how: 'with a dot at the end of Host',
      headers: spelled(`${hostname.replace(/\.$/, '')}.`),
    },
    { words: 'Host in upper case', headers: spelled(hostname.toUpperCase()) },
    ...withoutPort,
  ];
};

/**
 * Reads answers of another virtual host, which may be another service of the same kind, such as a
 * public demo. Servers that compare names letter by letter may lead there from the own name too. So
 * only what the key gets here is granted, and a redirect opens nothing. Nor does what that host
 * gives where nothing is: some proxies answer every unknown host with an empty 200.
 */
const readThere =
  (subject: OperationSubject): ReadWith =>
  (ask, exchange, controls) => {
    const answer = answerOf(exchange);
    if (answer && isRedirect(answer))
      return { verdict: 'refused', line: 4, seen: `${answer.status} to the host that was sent` };
    const { background, anonymous } = controls;
    const first = readExchange(exchange, background);
    if (!answer || first.verdict === 'refused' || showsOwners(first)) return first;
    const missing = missingOf(subject, exchange.probe);
    const isOfThisService = isSame(answer, answerOf(anonymous), background.volatile);
    const nowhere = ask.all(isOfThisService ? [] : [missing, again(missing)]);
    const nothing = withoutRecords(answersOf(nowhere), controls);
    const reading = readExchange(exchange, background, { nothing });
    return reading.verdict === 'granted' && !showsOwners(reading)
      ? { ...reading, verdict: 'unclear', seen: `${reading.seen}, which may be those of another service` }
      : reading;
  };

const atAnotherHost = (subject: OperationSubject, one: Change): Bypass => ({
  ...bypassOf(subject, one),
  readWith: readThere(subject),
});

/** The URL of another host in the request line overrides Host (RFC 9112, section 3.2.2). */
export const urlOfAnotherHost = (subject: OperationSubject): Bypass => {
  const [machine] = otherHosts(subject.deployment);
  return atAnotherHost(subject, {
    words: `the URL of ${machine} in the request line`,
    how: 'with the URL of another host in the request line',
    target: `http://${machine}${targetOf(subject)}`,
  });
};
