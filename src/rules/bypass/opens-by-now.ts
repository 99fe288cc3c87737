import type { Exchange, Probe } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import { isSame } from '../oracle/same.js';
import type { Reading } from '../oracle/table.js';
import type { Judgement, OperationRule } from '../rule.js';
import { because, blockedBy, failed, onCheck } from '../support/judgement.js';
import { onItsOwnQuery } from '../support/targets.js';
import { type Attempted, attempt, type Bypass, isPlain, type Judging, readWithEnd } from './bypass.js';
import { unlessOfChangingList } from './changing-lists.js';

/** Whether the request without any bypass opens too, after the requests of the run. */

type ByNow = Pick<Judging, 'ask' | 'subject' | 'controls' | 'plan'>;

/** The rule about leftovers, if its check failed because of keyed reads. */
const leftOpen = ({ ask, subject, plan: { leftovers } }: ByNow): OperationRule | undefined => {
  const { outcome, cause } = leftovers?.judge(ask, subject) ?? {};
  return outcome === 'failed' && cause?.id !== 'opens-now-and-then' ? leftovers : undefined;
};

/** Blocked by the check of leftovers, if keyed reads left the operation open. */
export const leftOpenByReads = (
  judging: ByNow,
  proof: readonly Attempted[],
  plain: readonly Exchange[] = [],
): Judgement | undefined => {
  const { subject, controls } = judging;
  const leftovers = leftOpen(judging);
  if (!leftovers) return undefined;
  const opened = [...plain, ...proof.map(({ exchange }) => exchange)];
  const on = onCheck(leftovers.id, subject.operation.id);
  const words = `It opens without any key ${plain.length > 0 ? 'by now' : 'now and then'}, after reads with it, so these requests show nothing more.`;
  return blockedBy(on, because('opens-by-now'), words, opened, { comparedWith: controls.all, opened });
};

/**
 * The bypasses that open the operation also where no keyed read can have left anything: on a new
 * connection, at a URL that nobody has read. All bypasses, if keyed reads leave nothing behind.
 */
export const apartFromLeftovers = (judging: Judging, proof: readonly Attempted[]): readonly Attempted[] => {
  const { ask, subject, controls, plan } = judging;
  if (plan.inSeries || !leftOpen(judging)) return proof;
  const apart = ({ probe, ...more }: Bypass): Bypass => ({
    ...more,
    probe: { ...probe, connection: 'fresh', target: onItsOwnQuery(subject, 'apart', probe.target) },
  });
  return ask
    .each(proof, (one) => ({ one, reading: attempt(ask, apart(one.bypass), controls).reading }))
    .filter(({ reading }) => reading.verdict === 'granted')
    .map(({ one }) => one);
};

/**
 * Number of requests without the bypass that have to open. If one of two servers lacks the check,
 * two may by chance.
 */
const reads = 4;

/**
 * The judgement if the request without the bypass now opens too. If keyed reads left it open, the
 * finding belongs to the check of leftovers.
 */
export const opensByNow = (judging: ByNow, proof: readonly Attempted[]): Judgement | undefined => {
  const { ask, controls, plan } = judging;
  if (plan.inSeries || plan.bypasses.some(isPlain(controls))) return undefined;
  const plain = controls.anonymous.probe;
  const { occasion = 'later' } = plan;
  const granted = (exchange: Exchange): Reading | undefined => {
    // Here the request without a bypass is itself what is tested. It is compared with a missing
    // path that is asked for at the same time.
    const missingDiffers = (): boolean => {
      const nowhere = answerOf(ask({ ...controls.missing.probe, occasion }));
      return !isSame(answerOf(exchange), nowhere, controls.background.volatile);
    };
    const reading = unlessOfChangingList({ ask, controls }, { probe: plain }, exchange, (nothing) =>
      readWithEnd(ask, exchange, controls, { nothing, missingDiffers }),
    );
    return reading.verdict === 'granted' ? reading : undefined;
  };
  const opened = proof.map(({ exchange }) => exchange);
  const then = ask({ ...plain, occasion });
  const reading = granted(then);
  if (!reading) return undefined;
  // Sent only if the first one opened, since usually the plain request stays refused. A new
  // connection may lead to another server behind a balancer.
  const more = Array.from(
    { length: reads - 1 },
    (_, at): Probe => ({ ...plain, occasion, round: at + 2, ...(at > 0 && { connection: 'fresh' }) }),
  );
  if (!ask.all(more).every(granted)) return undefined;
  const again = more.slice(0, 1).map(ask);
  const byReads = leftOpenByReads(judging, proof, [then, ...again]);
  if (byReads) return byReads;
  return failed(
    because('opens-by-now', reading.line),
    `It was refused without a key at first, and opens without any by now, after the requests of this run (${reading.seen}): the requests of this check show nothing more.`,
    [then, ...again],
    {
      expected: 'anything but what the key opens',
      seen: reading.seen,
      steps: [...opened.slice(0, 1), then],
      comparedWith: controls.all,
      opened: [then, ...again, ...opened],
    },
  );
};
