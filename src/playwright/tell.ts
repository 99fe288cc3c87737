import type { StoredExchange } from '../engine/results.js';
import { curlLine } from '../report/curl.js';
import { test } from './bare-test.js';
import type { Evidence } from './judged.js';
import { tellTeardown } from './told.js';

const mostSteps = 60;

/** Tells one finding in the terms of Playwright: a step an exchange, an annotation for what is worth a remark, a failure for what is not green. */
export const report = async ({ project, finding, exchanges }: Evidence, strict: boolean): Promise<void> => {
  const { outcome, reason, note, expected, seen, deviation } = finding;
  const info = test.info();
  const shown = new Set(finding.exchanges);
  for (const exchange of exchanges.filter(({ id }) => shown.has(id)).slice(0, mostSteps))
    await test.step(stepOf(exchange), () => {});
  info.annotations.push({ type: outcome, description: reason });
  if (note) info.annotations.push({ type: 'note', description: note });
  if (deviation) {
    const { reason: known, expires, link } = deviation;
    const until = expires ? ` (until ${expires})` : '';
    info.annotations.push({ type: 'deviation', description: `${known}${until}${link ? ` ${link}` : ''}` });
  }
  const passes =
    deviation !== undefined || outcome === 'passed' || outcome === 'observed' || (outcome === 'lenient' && !strict);
  tellTeardown(project, finding);
  // Red or not is the verdict's business: what is blocked makes the run red by its end (see teardown).
  if (outcome === 'excluded' || outcome === 'blocked') test.skip(true, reason);
  else if (!passes) {
    const decisive = exchanges.find(({ id }) => id === finding.exchanges[0]);
    throw new Judged(
      [
        `${outcome.toUpperCase()}: ${reason}`,
        ...(expected ? [`expected: ${expected}`] : []),
        ...(seen ? [`seen:     ${seen}`] : []),
        ...(decisive ? [`try it:   ${curlLine(decisive)}`] : []),
      ].join('\n'),
    );
  }
};

/** The finding is the message; where in this file it was thrown says nothing. */
class Judged extends Error {
  constructor(message: string) {
    super(message);
    this.name = '';
    this.stack = message;
  }
}

const stepOf = ({ probe, attempts }: StoredExchange): string => {
  const last = attempts.at(-1);
  const answer = last?.response ? `${last.response.status}` : `no answer (${last?.error?.code ?? 'none'})`;
  return `${probe.method} ${probe.target.slice(0, 120)}, ${probe.name}: ${answer}`;
};
