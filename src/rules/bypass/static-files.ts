import type { Probe } from '../../wire/types.js';
import { answerOf, isSuccess, saysNothing } from '../oracle/answers.js';
import type { OperationSubject } from '../rule.js';
import { nonce } from '../support/nonce.js';
import { requestFor, requestWithoutKey } from '../support/requests.js';
import { targetOf } from '../support/targets.js';
import { type Bypass, type ReadWith, readWithEnd } from './bypass.js';
import { spellPath } from './path-rewrites.js';

/** What a cache keeps of a read with the key because its URL ends like that of a static file. */

/**
 * Reads an answer as refused if one of these requests opens the operation too. The finding is about
 * that request then, and no earlier read matters.
 */
export const unlessOpenedBy =
  (others: readonly Probe[], read: ReadWith = readWithEnd): ReadWith =>
  (ask, exchange, controls) => {
    const reading = read(ask, exchange, controls);
    const opens = (probe: Probe): boolean => readWithEnd(ask, ask(probe), controls).verdict === 'granted';
    return reading.verdict !== 'granted' || !others.some(opens)
      ? reading
      : { ...reading, verdict: 'refused', seen: `${reading.seen}, which a simpler request gets too` };
  };

/**
 * Reads an error that may hold data as refused where the key gets an error too: that is what is
 * there, and nothing that was left behind.
 */
const ifKeyOpens =
  (before: Probe, read: ReadWith): ReadWith =>
  (ask, exchange, controls) => {
    const reading = read(ask, exchange, controls);
    const keyed = answerOf(ask(before));
    const opens = keyed === undefined || isSuccess(keyed) || saysNothing(keyed);
    return reading.verdict === 'unclear' && reading.line === 7 && !opens
      ? { ...reading, verdict: 'refused', seen: `${reading.seen}, where the key gets an error too` }
      : reading;
  };

/**
 * Routers drop what follows the path or a semicolon, and caches keep what ends like a static file.
 * One that opens by itself is a spelling of the path.
 * @param kind of the file that the name stands for
 */
const atStaticFile = (subject: OperationSubject, kind: string, spell: (name: string) => string): Bypass => {
  const { id } = subject.operation;
  const at = (label: string): string => {
    const name = spell(`nothing-${nonce(subject.deployment, `${label} ${kind} ${id}`)}`);
    return spellPath((path) => `${path.replace(/\/?$/, '/')}${name}`)(targetOf(subject));
  };
  const target = at('the');
  const alone = requestWithoutKey(subject, {
    name: `without a key, at the name of another ${kind}`,
    target: at('another'),
  });
  const before = requestFor(subject, {
    name: `with the key, at the name of a ${kind} of its own`,
    credential: 'valid',
    target,
  });
  return {
    words: `the same URL with the name of a ${kind} right after a read with the key`,
    how: `at the name of a ${kind}, right after a read with the key`,
    before,
    probe: requestWithoutKey(subject, { name: `without a key, at the name of that ${kind} right after`, target }),
    readWith: ifKeyOpens(before, unlessOpenedBy([alone])),
  };
};

/** One behind a semicolon and one that is a segment: a router may drop either. */
export const atStaticFiles = (subject: OperationSubject): readonly Bypass[] =>
  subject.deployment.probes === 'standard'
    ? []
    : [
        atStaticFile(subject, 'style sheet', (name) => `;${name}.css`),
        atStaticFile(subject, 'script', (name) => `${name}.js`),
      ];
