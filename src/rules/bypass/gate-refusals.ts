import { memoize } from '../../collections.js';
import type { Operation, SecurityScheme } from '../../contract/model.js';
import type { Exchange, Response } from '../../wire/types.js';
import { answerOf, isRedirect, isSuccess, placeIn } from '../oracle/answers.js';
import { anonymousControls, keyedControl } from '../oracle/control-requests.js';
import { isSame } from '../oracle/same.js';
import { canSendKey } from '../requests.js';
import type { Ask, OperationSubject } from '../rule.js';

/**
 * How the gate of an operation refuses: the answers to keyless reads behind the same gate, of which
 * the key is known to open them. Where the key opens nothing, a 404 may speak of what is not there.
 */

const mostReads = 3;

/** Ahead of the first parameter, two segments at most: `/api/v2` of `/api/v2/workout/{id}`. */
const prefixOf = (path: string): string =>
  path
    .split('{', 1)
    .join('')
    .split('/')
    .filter((segment) => segment !== '')
    .slice(0, 2)
    .join('/');

const namesOf = (security: readonly SecurityScheme[]): readonly string[] => security.map(({ name }) => name).sort();

/** The same security requirement and path prefix, whatever the method. */
const gateOf = ({ security, alternatives = [], path }: Operation): string =>
  JSON.stringify([[security, ...alternatives].map(namesOf).sort(), prefixOf(path)]);

const readsOfGate = memoize((subject: OperationSubject): readonly OperationSubject[] => {
  const gate = gateOf(subject.operation);
  return subject.contract.operations
    .filter(({ access, method }) => access === 'protected' && method === 'GET')
    .map((operation) => ({ ...subject, operation }))
    .filter((read) => gateOf(read.operation) === gate && canSendKey(read))
    .slice(0, mostReads);
});

/** What keyless reads behind the gate of an operation get, where the key opens them. */
export const refusalsOfGate = (ask: Ask, subject: OperationSubject): readonly Exchange[] => {
  const reads = readsOfGate(subject).flatMap((read) => {
    const [keyless] = anonymousControls(read);
    return keyless ? [{ keyless, keyed: keyedControl(read, 1) }] : [];
  });
  const sent = ask.all(reads.flatMap(({ keyless, keyed }) => [keyless, keyed]));
  return reads.flatMap((_, index) => {
    const [keyless, keyed] = [sent[2 * index], sent[2 * index + 1]];
    const opened = keyed && answerOf(keyed);
    const refused = keyless && answerOf(keyless);
    return opened && refused && isSuccess(opened) && !isSuccess(refused) ? [keyless] : [];
  });
};

/**
 * Whether every one of these refusals is this very answer, or a redirect to the same place with any
 * query.
 */
export const isRefusalOf = (answer: Response, refusals: readonly Exchange[]): boolean =>
  refusals.length > 0 &&
  refusals.every((refusal) => {
    const other = answerOf(refusal);
    if (other === undefined) return false;
    return isSame(answer, other) || (isRedirect(answer) && isRedirect(other) && placeIn(answer) === placeIn(other));
  });
