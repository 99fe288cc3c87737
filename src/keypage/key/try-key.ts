import type { Contract, Operation } from '../../contract/model.js';
import type { KeyPageOpens } from '../../rules/key-page/record.js';
import { answerOf, isSuccess, saysNothing } from '../../rules/oracle/answers.js';
import { anonymousControls, keyedControls, publicOperations } from '../../rules/oracle/control-requests.js';
import { readExchange } from '../../rules/oracle/reading.js';
import { isSame } from '../../rules/oracle/same.js';
import { isUsable, usable } from '../../rules/oracle/usable-controls.js';
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

/**
 * Whether a key opens the operation. Where the server refuses by status, a 2xx unlike that of a
 * missing path and the base path is enough. Where it refuses inside a 2xx, reads with API_KEY say
 * what granted looks like.
 * @param placeholder of a key that the key ring has learnt: `KEY_PAGE_KEY_1`
 */
export const opensWith = async (
  subject: OperationSubject,
  placeholder: string,
  round: number,
  send: Send,
): Promise<{ readonly opens: KeyPageOpens; readonly exchange: Exchange }> => {
  const security = subject.operation.security.map((scheme) => ({ ...scheme, setting: placeholder }));
  const open = await Promise.all(anonymousControls(subject).map(send));
  const wrong = await send(requestFor(subject, { name: 'with a random key', credential: 'random' }));
  const exchange = await send(
    requestFor(
      { ...subject, operation: { ...subject.operation, security } },
      { name: 'with a key from the key page', credential: 'valid', connection: 'fresh', round },
    ),
  );
  const said = async (): Promise<KeyPageOpens> => {
    const [anonymous, missing, base, otherMissing] = open;
    const answer = answerOf(exchange);
    if (!anonymous || !missing || !base || !otherMissing || !answer) return 'unknown';
    if ([anonymous, wrong, exchange].some(setAside)) return 'unknown';
    if (!isSuccess(answer)) return answer.status >= 500 ? 'unknown' : 'refused';
    const refusals = [anonymous, wrong].flatMap((one) => answerOf(one) ?? []);
    if (!refusals.some(isSuccess)) {
      const nothing = [missing, base].flatMap((one) => answerOf(one) ?? []);
      return nothing.some((other) => isSame(answer, other)) ? 'refused' : 'granted';
    }
    if (!canSendKey(subject)) return 'unknown';
    const publics = await Promise.all(
      publicOperations(subject).map((operation) =>
        send(requestFor({ ...subject, operation }, { name: `the public ${operation.id}`, credential: 'none' })),
      ),
    );
    const [first, second, keyedMissing] = await Promise.all(keyedControls(subject).map(send));
    if (!first || !second || !keyedMissing) return 'unknown';
    const controls = usable({
      keyed: [first, second],
      variesInForm: false,
      anonymous,
      random: wrong,
      missing,
      otherMissing,
      keyedMissing,
      base,
      isDocumentedData: false,
      publics,
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
    if (!isUsable(controls) || readExchange(anonymous, controls.background).verdict !== 'refused') return 'unknown';
    const { verdict } = readExchange(exchange, controls.background);
    return verdict === 'unclear' ? 'unknown' : verdict;
  };
  return { opens: await said(), exchange };
};
