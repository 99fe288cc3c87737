import type { Contract, Operation } from '../../contract/model.js';
import type { KeyPageOpens } from '../../rules/key-page/record.js';
import { answerOf, answersOf, isSuccess, saysNothing } from '../../rules/oracle/answers.js';
import { anonymousControls, keyedControls, publicOperations } from '../../rules/oracle/control-requests.js';
import type { Controls } from '../../rules/oracle/controls.js';
import { readExchange } from '../../rules/oracle/reading.js';
import { isSame } from '../../rules/oracle/same.js';
import { isUsable, type UsableControls, usable } from '../../rules/oracle/usable-controls.js';
import type { OperationSubject } from '../../rules/rule.js';
import { requestFor } from '../../rules/support/requests.js';
import { canSendKey, onlyScheme } from '../../rules/support/subjects.js';
import type { Exchange, Probe } from '../../wire/types.js';

type Send = (probe: Probe) => Promise<Exchange>;

/** The operation for trying a key: protected, read with GET, opened by one header field. */
export const operationForKeys = ({ operations }: Contract): Operation | undefined =>
  operations.find(
    (operation) =>
      operation.access === 'protected' && operation.method === 'GET' && onlyScheme(operation)?.in === 'header',
  );

/** No answer at all, or one that says nothing about keys. */
const setAside = (exchange: Exchange): boolean => {
  const answer = answerOf(exchange);
  return answer === undefined || saysNothing(answer);
};

type KeylessReads = Pick<Controls, 'anonymous' | 'missing' | 'base' | 'otherMissing' | 'random'>;

/** What granted looks like, by reads with API_KEY; `undefined` if they do not show it. */
const controlsWithKey = async (
  subject: OperationSubject,
  keyless: KeylessReads,
  send: Send,
): Promise<UsableControls | undefined> => {
  if (!canSendKey(subject)) return undefined;
  const publics = await Promise.all(
    publicOperations(subject).map((operation) =>
      send(requestFor({ ...subject, operation }, { name: `the public ${operation.id}`, credential: 'none' })),
    ),
  );
  const [first, second, keyedMissing] = await Promise.all(keyedControls(subject).map(send));
  if (!first || !second || !keyedMissing) return undefined;
  const controls = usable({
    ...keyless,
    keyed: [first, second],
    keyedMissing,
    publics,
    variesInForm: false,
    isDocumentedData: false,
    refusals: [],
    all: [],
    elsewhere: {
      refusesByStatus: () => false,
      takesTheKey: () => false,
      openToAnyKey: () => [],
      givesAnyKeyData: () => false,
      listsIt: () => false,
    },
  });
  return isUsable(controls) ? controls : undefined;
};

/**
 * Reads what a key gets. Where the server refuses by status, a 2xx unlike that of a missing path
 * and the base path is enough. Where it refuses inside a 2xx, reads with API_KEY are compared with.
 */
const readKey = async (
  subject: OperationSubject,
  exchange: Exchange,
  keyless: KeylessReads,
  send: Send,
): Promise<KeyPageOpens> => {
  const { anonymous, missing, base, random } = keyless;
  const answer = answerOf(exchange);
  if (!answer || [anonymous, random, exchange].some(setAside)) return 'unknown';
  if (!isSuccess(answer)) return answer.status >= 500 ? 'unknown' : 'refused';
  if (!answersOf([anonymous, random]).some(isSuccess))
    return answersOf([missing, base]).some((other) => isSame(answer, other)) ? 'refused' : 'granted';
  const controls = await controlsWithKey(subject, keyless, send);
  if (!controls || readExchange(anonymous, controls.background).verdict !== 'refused') return 'unknown';
  const { verdict } = readExchange(exchange, controls.background);
  return verdict === 'unclear' ? 'unknown' : verdict;
};

/**
 * Whether a key opens the operation.
 * @param placeholder of a key that the key ring has learnt: `KEY_PAGE_KEY_1`
 */
export const opensWith = async (
  subject: OperationSubject,
  placeholder: string,
  round: number,
  send: Send,
): Promise<{ readonly opens: KeyPageOpens; readonly exchange: Exchange }> => {
  const security = subject.operation.security.map((scheme) => ({ ...scheme, setting: placeholder }));
  const [anonymous, missing, base, otherMissing] = await Promise.all(anonymousControls(subject).map(send));
  const random = await send(requestFor(subject, { name: 'with a random key', credential: 'random' }));
  const exchange = await send(
    requestFor(
      { ...subject, operation: { ...subject.operation, security } },
      { name: 'with a key from the key page', credential: 'valid', connection: 'fresh', round },
    ),
  );
  if (!anonymous || !missing || !base || !otherMissing) return { opens: 'unknown', exchange };
  return {
    opens: await readKey(subject, exchange, { anonymous, missing, base, otherMissing, random }, send),
    exchange,
  };
};
