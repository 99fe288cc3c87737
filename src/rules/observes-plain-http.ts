import { answerOf, header, isRedirect } from './oracle/answers.js';
import { defineRule, type OperationSubject } from './rule.js';
import {
  answerValue,
  observation,
  observedFacts,
  readTwiceIfRedirected,
  seenFact,
  summaryOf,
} from './support/observation.js';
import { requestFor } from './support/requests.js';

const plainRead = (subject: OperationSubject) => {
  const url = new URL(subject.deployment.httpBaseUrl ?? 'http://invalid');
  return requestFor(subject, {
    name: 'over plain HTTP, with nothing sent',
    credential: 'none',
    origin: url.origin,
    target: `${url.pathname.replace(/\/$/, '')}${subject.operation.target}`,
  });
};

export const observesPlainHttp = defineRule({
  scope: 'operation',
  overPlainHttp: true,
  id: 'observes-plain-http',
  title: 'how plain HTTP is answered',
  stage: 'bypasses',
  gaps: ['GAP-ERRORS'],
  appliesTo: (subject) => {
    const { httpBaseUrl } = subject.deployment;
    return httpBaseUrl !== null && httpBaseUrl !== 'none' && subject.operation.access === 'protected';
  },
  probes: (subject) => [plainRead(subject)],
  judge: (ask, subject) => {
    const exchange = ask(plainRead(subject));
    const answer = answerOf(exchange);
    const transparent = answer && isRedirect(answer) && /^https:/i.test(header(answer, 'location') ?? '');
    const fact = seenFact({
      gap: 'GAP-ERRORS',
      id: 'plain-http',
      words: `Plain HTTP: ${summaryOf(exchange)}.${transparent ? ' A redirect lets a client go on that has already sent its key in the clear (OWASP ASVS 5.0, 4.1.2); refusing shows it the mistake.' : ''}`,
      reads: readTwiceIfRedirected(ask, plainRead(subject)),
      shows: answerValue,
    });
    // There is no listener. Unlike a reset or a timeout, that is no accident of one request.
    const isClosed = exchange.attempts.length > 0 && exchange.attempts.every(({ error }) => error?.code === 'refused');
    return observedFacts([isClosed ? { ...fact, value: { status: 'none' }, reads: exchange.attempts.length } : fact]);
  },
  explanation: observation(
    'How is plain HTTP answered?',
    'One GET to the plain-HTTP side with nothing.',
    'the answer, and whether it redirects to https.',
    'Refusing shows a client its mistake; a redirect lets it go on after it has sent its key in the clear (OWASP ASVS 5.0, 4.1.2).',
  ),
});
