import { isBroken } from '../engine/outcomes.js';
import { describeFinding, deviationText, findingLines } from '../report/describe-finding.js';
import { decisiveId } from '../report/run-summary.js';
import { jsonText, visible } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import { clip, counted } from '../words.js';
import { type Evidence, evidenceName } from './evidence.js';
import { isQuiet, sharedFindings } from './findings.js';
import { test } from './listing.js';

const mostSteps = 60;

/**
 * The body of one test: waits for the finding of its check, and reports it to Playwright:
 * annotations, and an error if it is not green. Exchanges become steps if the check did not pass, or
 * with `EVIDENCE=full`: steps cost more than checks.
 */
export const judgeCheck = async (project: string, checkId: string): Promise<void> => {
  const info = test.info();
  // The first test waits for the whole run, whose end is the reporter's business.
  test.setTimeout(0);
  const { reporting, find } = await sharedFindings(project);
  const shared = find(checkId);
  if (!shared) throw new Error(`${checkId} was planned and not judged`);
  const { title, clauses, finding, exchanges, evidence } = shared;
  const { outcome, reason, note, deviation } = finding;
  const attach = (name: string, value: unknown): Promise<void> =>
    info.attach(name, {
      contentType: 'application/json',
      body: jsonText(value, name === evidenceName ? undefined : 2),
    });
  if (evidence) await attach(evidenceName, { ...evidence, exchanges } satisfies Evidence);
  else if (exchanges.length > 0) await attach('exchanges', exchanges);

  const shown = new Set(reporting.options.EVIDENCE === 'full' || !isQuiet(finding) ? finding.exchanges : []);
  const own = exchanges.filter(({ id }) => shown.has(id));
  for (const exchange of own.slice(0, mostSteps)) await test.step(stepOf(exchange), () => {});
  if (own.length > mostSteps)
    await test.step(`and ${counted(own.length - mostSteps, 'more exchange')} in the report`, () => {});
  info.annotations.push({ type: outcome, description: reason });
  if (note) info.annotations.push({ type: 'note', description: note });
  if (deviation) info.annotations.push({ type: 'deviation', description: deviationText(deviation) });
  const isRed = outcome === 'inconclusive' || (isBroken(outcome, reporting.strict) && deviation === undefined);
  // A blocked check is skipped here; the reporter fails the run.
  if (outcome === 'excluded' || outcome === 'blocked') test.skip(true, reason);
  else if (isRed) {
    const decisive = exchanges.find(({ id }) => id === decisiveId(finding));
    const lines = findingLines(describeFinding(finding, decisive, reporting.options));
    throw new Judged([visible(title), ...clauses, ...lines].join('\n'));
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
