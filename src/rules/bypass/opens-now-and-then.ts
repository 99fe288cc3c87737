import { withQuery } from '../../urls.js';
import type { Exchange, Probe } from '../../wire/types.js';
import { answerOf, answersOf } from '../oracle/answers.js';
import { mayRestOnFrame } from '../oracle/frames.js';
import { afterMoreReads } from '../oracle/later-reads.js';
import { isSame } from '../oracle/same.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import type { Ask, Judgement, OperationSubject } from '../rule.js';
import { because, failed } from '../support/judgement.js';
import { nonce } from '../support/nonce.js';
import { targetOf } from '../support/targets.js';
import { type Attempted, type Bypass, type Judging, readingsOf, readWithEnd, showsOwners } from './bypass.js';

/**
 * An operation that opens now and then, whatever is sent, because one of several servers lacks the
 * check.
 */

/** With this many reads, one server in ten is reached with a probability of 92 %. */
export const equalReads = 24;

/** Whether a bypass opened the operation, and did not when it was sent again. */
export const opensUnsteadily = (suspects: readonly Attempted[], second: ReadonlyMap<Bypass, Attempted>): boolean =>
  suspects.some(({ bypass, reading }) => {
    const again = second.get(bypass);
    return showsOwners(reading) && !(again?.reading.verdict === 'granted' && again.exchange.probe.round === 2);
  });

type Repeating = Pick<Judging, 'ask' | 'subject' | 'controls'>;

/** Equal requests without a key. */
const equalRequests = ({ ask, subject, controls }: Repeating, inSeries = false): readonly Exchange[] => {
  const { probe } = controls.anonymous;
  const readOf = (_: unknown, index: number): Probe => ({
    ...probe,
    // A balancer may choose the server by connection. New ones take time, so not each gets one.
    connection: index % 3 === 0 ? 'fresh' : 'shared',
    occasion: 'to see how often it opens',
    round: index + 1,
    // In a series, a cache may hold what the key got at the URL of the operation.
    ...(inSeries
      ? { target: withQuery(targetOf(subject), [`nothing-${nonce(subject.deployment, `often ${index}`)}=1`]) }
      : {}),
  });
  return ask.all(Array.from({ length: equalReads }, readOf));
};

/**
 * Whether bypasses got only empty answers (or answers to HEAD), and some of several equal requests
 * without them get these too. Such answers count as granted only because the request without the
 * bypass is refused (line 0).
 */
export const isGivenWithout = (judging: Judging, proof: readonly Attempted[]): boolean => {
  const { plan, controls } = judging;
  const isHead = ({ exchange }: Attempted): boolean => exchange.probe.method === 'HEAD';
  const isEmpty = (one: Attempted): boolean =>
    one.reading.line === 0 || (controls.background.keyed.isEmpty && isHead(one));
  if (!proof.every(isEmpty)) return false;
  const plain = answersOf(equalRequests(judging, plan.inSeries));
  return proof.every((one) => {
    const given = isHead(one) ? controls.first : answerOf(one.exchange);
    const alike = plain.filter((each) => isSame(each, given, controls.background.volatile));
    return alike.length > 0 && alike.length < plain.length;
  });
};

/** The controls, after more keyed reads if an answer may consist of what every answer has. */
const controlsAgainstFrames = (
  ask: Ask,
  subject: OperationSubject,
  controls: UsableControls,
  sent: readonly Exchange[],
): UsableControls =>
  answersOf(sent).some(({ shape }) => mayRestOnFrame(controls.background, shape))
    ? afterMoreReads(ask, subject, controls)
    : controls;

/**
 * The judgement if some equal requests without a key open the operation and others do not. Then the
 * bypasses made no difference. `undefined` if all or none of them do.
 */
export const opensNowAndThen = (
  { ask, subject, controls }: Repeating,
  { comparedWith = [], opened = [] }: Pick<Judgement, 'comparedWith' | 'opened'>,
  inSeries = false,
): Judgement | undefined => {
  const sent = equalRequests({ ask, subject, controls }, inSeries);
  const grantedBy = (against: UsableControls) =>
    ask
      .each(sent, (exchange) => ({ exchange, reading: readWithEnd(ask, exchange, against) }))
      .filter(({ reading }) => showsOwners(reading));
  const granted = grantedBy(
    grantedBy(controls).length > 0 ? controlsAgainstFrames(ask, subject, controls, sent) : controls,
  );
  const [first] = granted;
  if (!first || granted.length === sent.length) return undefined;
  const { seen } = first.reading;
  return failed(
    because('opens-now-and-then'),
    `It opens without any key now and then: of ${sent.length} equal requests, ${granted.length} got ${seen}, and the others did not. One of several servers may not check the key, or a thread may keep who asked before.`,
    granted.map(({ exchange }) => exchange),
    {
      expected: 'anything but what the key opens',
      seen: `${seen}, at ${granted.length} of ${sent.length}`,
      readings: readingsOf(granted),
      steps: [first.exchange],
      comparedWith,
      opened: [...granted.map(({ exchange }) => exchange), ...opened],
    },
  );
};
