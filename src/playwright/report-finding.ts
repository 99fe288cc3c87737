import { isBroken } from '../engine/outcomes.js';
import { describeFinding, deviationText, findingLines } from '../report/describe-finding.js';
import { decisiveId } from '../report/run-summary.js';
import { visible } from '../report/text.js';
import type { Exchange } from '../wire/types.js';
import { clip, counted } from '../words.js';
import { test } from './bare-test.js';
import { isQuiet, logOutcome, type Reporting, type SharedFinding } from './shared-findings.js';

const mostSteps = 60;

/**
 * Reports a finding to Playwright: annotations, and an error if it is not green. Exchanges become
 * steps if the check did not pass, or with `EVIDENCE=full`: steps cost more than checks.
 */
export const reportFinding = async (
  { project, title, finding, exchanges }: SharedFinding & { readonly project: string },
  { strict, options }: Reporting,
): Promise<void> => {
  const { outcome, reason, note, deviation } = finding;
  const info = test.info();
  const shown = new Set(finding.exchanges);
  const isShown = options.EVIDENCE === 'full' || !isQuiet(finding);
  const own = isShown ? exchanges.filter(({ id }) => shown.has(id)) : [];
  for (const exchange of own.slice(0, mostSteps)) await test.step(stepOf(exchange), () => {});
  if (own.length > mostSteps)
    await test.step(`and ${counted(own.length - mostSteps, 'more exchange')} in the report`, () => {});
  info.annotations.push({ type: outcome, description: reason });
  if (note) info.annotations.push({ type: 'note', description: note });
  if (deviation) info.annotations.push({ type: 'deviation', description: deviationText(deviation) });
  const isRed = outcome === 'inconclusive' || (isBroken(outcome, strict) && deviation === undefined);
  logOutcome(project, finding);
  // A blocked check is skipped here; the teardown fails the run (see teardown.ts).
  if (outcome === 'excluded' || outcome === 'blocked') test.skip(true, reason);
  else if (isRed) {
    const decisive = exchanges.find(({ id }) => id === decisiveId(finding));
    const lines = findingLines(describeFinding(finding, decisive, options));
    throw new Judged([visible(title), ...lines].join('\n'));
  }
};

/** An error without a stack: the finding is the message. */
class Judged extends Error {
  constructor(message: string) {
    super(message);
    this.name = '';
    this.stack = message;
  }
}

const stepOf = ({ probe, attempts }: Exchange): string => {
  const last = attempts.at(-1);
  const answer = last?.response ? `${last.response.status}` : `no answer (${last?.error?.code ?? 'none'})`;
  return `${probe.method} ${clip(visible(probe.target), 120)}, ${probe.name}: ${answer}`;
};
