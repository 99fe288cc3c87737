import { exchangeId } from '../../wire/exchange-id.js';
import type { Exchange } from '../../wire/types.js';
import type { Reading } from '../oracle/table.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import type { Ask, Judgement, OperationSubject } from '../rule.js';
import { because, blocked, failed, onCheck } from '../support/judgement.js';
import { type Attempted, type Bypass, type Judging, readWithEnd } from './bypass.js';

/** What the request without the bypass shows. If it opens, the bypass proves nothing more. */

/** Whether a bypass is the plain request without a key. */
export const isPlain = ({ anonymous }: UsableControls): ((bypass: Bypass) => boolean) => {
  const plain = exchangeId(anonymous.probe);
  return ({ probe }) => exchangeId(probe) === plain;
};

/** The judgement if the request without any key opens. Then no bypass is sent. */
export const opensWithoutBypass = (
  ask: Ask,
  subject: OperationSubject,
  controls: UsableControls,
): Judgement | undefined => {
  const { anonymous, all } = controls;
  if (readWithEnd(ask, anonymous, controls).verdict !== 'granted') return undefined;
  const words = 'It opens without any key, so these requests would show nothing more.';
  return blocked(because('opens-without-key'), words, [anonymous], {
    blockedBy: [onCheck('refuses-missing-key', subject.operation.id)],
    comparedWith: all,
    opened: [anonymous],
  });
};

/**
 * The judgement if the request without the bypass now opens as well, after the requests of this
 * run. If keyed reads left it open, the finding belongs to the check of leftovers.
 */
export const opensByNow = (
  { ask, subject, controls, plan }: Judging,
  proof: readonly Attempted[],
): Judgement | undefined => {
  if (plan.inSeries || plan.bypasses.some(isPlain(controls))) return undefined;
  const plain = controls.anonymous.probe;
  const granted = (exchange: Exchange): Reading | undefined => {
    const reading = readWithEnd(ask, exchange, controls);
    return reading.verdict === 'granted' ? reading : undefined;
  };
  const opened = proof.map(({ exchange }) => exchange);
  const occasion = plan.occasion ?? plan.health.occasion ?? 'later';
  const then = ask({ ...plain, occasion });
  // Sent only where the first one opened: most of what is found leaves the plain request refused.
  const again = granted(then) && ask({ ...plain, occasion, round: 2 });
  const reading = again && granted(again);
  if (!reading) return undefined;
  const found = { comparedWith: controls.all, opened: [then, again, ...opened] };
  if (plan.leftovers?.judge().outcome === 'failed')
    return blocked(
      because('opens-by-now'),
      'It opens without any key by now, after reads with it, so these requests show nothing more.',
      [then, again],
      { blockedBy: [onCheck(plan.leftovers.rule, subject.operation.id)], ...found },
    );
  return failed(
    because('opens-by-now', reading.line),
    `It was refused without a key at first, and opens without any by now, after the requests of this run (${reading.seen}): the requests of this check show nothing more.`,
    [then, again],
    {
      expected: 'anything but what the key opens',
      seen: reading.seen,
      steps: [...opened.slice(0, 1), then],
      ...found,
    },
  );
};
