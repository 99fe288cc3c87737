import type { Operation } from '../contract/model.js';
import { answerOf } from './oracle/answers.js';
import { isSame } from './oracle/same.js';
import { isOfOneForm } from './oracle/usable-controls.js';
import { isToHttps } from './plain-http/classify-plain-http.js';
import { whyUnseen } from './plain-http/plain-http-reachability.js';
import { type PlainSide, plainRequest, plainSideOf } from './plain-http/plain-http-requests.js';
import { judgePlainHttp, plainSideUnknown } from './plain-http/plain-http-rule.js';
import { type Ask, defineRule, type Judgement, type OperationSubject, type Subject } from './rule.js';
import { because } from './support/causes.js';
import { inconclusive, listed, passed } from './support/judgement.js';
import { serviceRequest } from './support/requests.js';

const isGet = ({ method }: Operation): boolean => method === 'GET' || method === 'HEAD';

const mostOnTlsPort = 20;

/** Operations that are asked over plain HTTP on the TLS port. */
const onTlsPort = ({ contract, deployment }: Subject): readonly OperationSubject[] =>
  contract.operations
    .filter((operation) => operation.access !== 'unstated' && isGet(operation))
    .slice(0, mostOnTlsPort)
    .map((operation) => ({ contract, deployment, operation }));

const tlsPortSide = ({ deployment }: Subject): PlainSide => {
  const url = new URL(deployment.origin);
  return { origin: `http://${url.hostname}:${url.port || '443'}`, basePath: deployment.basePath };
};

/**
 * Judges the base path, for a contract without operations that may be asked. It proves nothing if
 * HTTPS and plain HTTP answer it alike.
 */
const judgeBase = (ask: Ask, subject: Subject): Judgement => {
  const side = plainSideOf(subject);
  if (!side && subject.deployment.httpBaseUrl !== 'none') return plainSideUnknown;
  const sides = [tlsPortSide(subject), ...(side ? [side] : [])];
  const [https, ...plain] = ask.all([
    serviceRequest(subject, { name: 'the base path' }),
    ...sides.map(({ origin, basePath }) =>
      serviceRequest(subject, { name: 'the base path, over plain HTTP', origin, target: `${basePath}/` }),
    ),
  ]);
  const open = https && answerOf(https);
  if (!https || !open)
    return inconclusive(
      because('nothing-to-compare'),
      'HTTPS gave no answer at the base path, so there is nothing to compare with.',
      plain,
    );
  const [unseen] = plain.flatMap((exchange) => {
    const why = whyUnseen(exchange, https);
    return why === undefined ? [] : [{ exchange, why }];
  });
  if (unseen)
    return inconclusive(unseen.why.cause, `Plain HTTP could not be judged: ${unseen.why.words}.`, [unseen.exchange], {
      comparedWith: [https],
    });
  const doubtful = plain.find((exchange, index) => {
    const answer = answerOf(exchange);
    if (!answer || isToHttps(answer)) return false;
    // A TLS port answers plain HTTP alike for every path. A plain port may answer each path
    // differently.
    return index > 0 || answer.status === 429 || isSame(answer, open) || isOfOneForm(answer.shape, open.shape);
  });
  if (doubtful)
    return inconclusive(
      because('unclear-answer', answerOf(doubtful)?.status),
      `Over plain HTTP the base path is answered with ${answerOf(doubtful)?.status ?? ''}; the contract has no operation that may be asked, by which it could be seen whether the API answers there.`,
      [doubtful],
      { comparedWith: [https] },
    );
  return passed(
    'At the base path plain HTTP gives no answer, or a redirect to https; the contract has no operation that may be asked.',
    plain,
    { comparedWith: [https] },
  );
};

/** The common reason, or each with the operations that it holds for. */
const reasonOf = (subjects: readonly OperationSubject[], judged: readonly Judgement[]): string => {
  const idsByReason = new Map<string, string[]>();
  for (const [index, { reason }] of judged.entries())
    idsByReason.set(reason, [...(idsByReason.get(reason) ?? []), subjects[index]?.operation.id ?? '']);
  const [[only] = [], ...others] = idsByReason;
  if (others.length === 0) return only ?? '';
  return [...idsByReason].map(([reason, ids]) => `${listed(ids)}: ${reason}`).join(' ');
};

/** HTTPS-2: the TLS port does not speak plain HTTP as well. */
export const refusesPlainHttpOnTlsPort = defineRule({
  scope: 'service',
  id: 'refuses-plain-http-on-tls-port',
  clauses: ['HTTPS-2'],
  title: 'does not speak plain HTTP on the port of its HTTPS',
  headline: ({ id }) =>
    id === 'served-over-plain-http' ? { severity: 'exposed', one: 'The TLS port answers plain HTTP' } : undefined,
  stage: 'bypasses',
  appliesTo: () => true,
  probes: (subject) =>
    onTlsPort(subject).map((each) => plainRequest(each, tlsPortSide(subject), 'on the TLS port').probe),
  judge: (ask, subject) => {
    const subjects = onTlsPort(subject);
    if (subjects.length === 0) return judgeBase(ask, subject);
    ask.all(subjects.map((each) => plainRequest(each, tlsPortSide(subject), 'on the TLS port').probe));
    const judged = subjects.map((each) =>
      judgePlainHttp(ask, each, [plainRequest(each, tlsPortSide(each), 'on the TLS port')]),
    );
    const worst = (['failed', 'inconclusive'] as const)
      .map((outcome) => judged.find((one) => one.outcome === outcome))
      .find((one) => one);
    const note = judged.find((one) => one.note !== undefined)?.note;
    return (
      worst ??
      passed(
        reasonOf(subjects, judged),
        judged.flatMap(({ exchanges }) => exchanges),
        note === undefined ? {} : { note },
      )
    );
  },
  explanation: {
    asks: 'The port that speaks TLS does not speak plain HTTP as well.',
    sends: 'For up to 20 operations one GET without TLS to the port of the base URL. No key.',
    judged:
      'As refuses-plain-http. A closed connection, a TLS alert or “the plain HTTP request was sent to HTTPS port” is a refusal.',
    causes: 'A server or mesh sidecar that looks at the first byte and takes both on one port.',
    fixes: 'Switch permissive or mixed mode off (strict mutual TLS in a mesh, TLS only at the listener).',
  },
});
