import type { HeaderPair, Probe } from '../../wire/types.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import { publicOperations } from '../oracle/control-requests.js';
import { isSame } from '../oracle/same.js';
import { viewIn } from '../oracle/view.js';
import type { OperationSubject } from '../rule.js';
import { missingOf, requestFor } from '../support/requests.js';
import { type Bypass, readWithEnd } from './bypass.js';

/** OPTIONS without a key, as any client and as a browser sends it. */

/** The group of the bypasses that send OPTIONS. */
export const optionsGroup = 'OPTIONS';

export const optionsTrick = 'an OPTIONS request without a key';
export const preflightTrick = 'a CORS preflight';

/** OPTIONS without a key. Rules that look at its answer share this request. */
export const optionsProbe = (subject: OperationSubject): Probe =>
  requestFor(subject, { name: 'OPTIONS, without a key', credential: 'none', method: 'OPTIONS' });

/**
 * OPTIONS without a key. It asks for the allowed methods (RFC 9110, section 9.3.7), but a route for
 * every method serves the data.
 */
export const optionsBypass = (subject: OperationSubject): Bypass =>
  readAsOptions(subject, optionsProbe(subject), { words: optionsTrick, how: 'by OPTIONS' });

/** The same as a browser sends it before a page of another origin reads the resource. */
export const preflightBypass = (subject: OperationSubject): Bypass => {
  const probe = requestFor(subject, { ...open, name: preflightTrick, headers: preflight });
  return readAsOptions(subject, probe, { words: preflightTrick, how: 'by a CORS preflight (OPTIONS)' });
};

const open = { credential: 'none', method: 'OPTIONS' } as const;

const preflight: readonly HeaderPair[] = [
  ['Origin', 'https://another-site.example'],
  ['Access-Control-Request-Method', 'GET'],
  ['Access-Control-Request-Headers', 'authorization'],
];

/**
 * Most frameworks answer OPTIONS themselves for any client: with nothing, an empty list or object,
 * or a description of the resource. So only the owner's data, or the keyed answer itself, counts as
 * granted.
 */
const readAsOptions = (subject: OperationSubject, probe: Probe, names: Pick<Bypass, 'words' | 'how'>): Bypass => {
  const { headers } = probe;
  const elsewhere = [
    missingOf(subject, probe),
    ...publicOperations(subject)
      .slice(0, 1)
      .map((operation) =>
        requestFor(
          { ...subject, operation },
          { ...open, name: `${probe.name} of the public ${operation.id}`, headers },
        ),
      ),
  ];
  return {
    ...names,
    probe,
    readWith: (ask, exchange, controls) => {
      const reading = readWithEnd(ask, exchange, controls);
      const answer = answerOf(exchange);
      if (!answer || !isSuccess(answer) || reading.verdict === 'refused' || reading.line === 1) return reading;
      const refused = (seen: string) =>
        ({ verdict: 'refused', line: reading.line, seen: `${answer.status} to OPTIONS, ${seen}` }) as const;
      const rows = [...(viewIn(answer.shape)?.lists.values() ?? [])].some(({ length }) => length > 0);
      if (!rows && reading.verdict === 'unclear') return refused('with a description');
      if (!rows && controls.background.keyed.isEmpty) return refused('with nothing in it');
      return ask.all(elsewhere).some((other) => {
        const there = answerOf(other);
        return there !== undefined && isSame(there, answer);
      })
        ? refused('as elsewhere')
        : reading;
    },
  };
};
