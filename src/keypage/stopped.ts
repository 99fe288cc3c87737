import type { Finding } from '../engine/results.js';
import { because } from '../rules/causes.js';
import type { KeyPageRecord } from '../rules/key-page/record.js';

/**
 * Tells in every open finding what was stopped on the way. A page that lost a request to the suite is not accused: what it would have shown
 * with it was not seen.
 */
export const tellStopped = (findings: readonly Finding[], { stopped }: KeyPageRecord): Finding[] =>
  findings.map((finding) => {
    if (stopped === undefined || (finding.outcome !== 'failed' && finding.outcome !== 'inconclusive')) return finding;
    const untold = stopped.sentences.filter((sentence) => !finding.reason.includes(sentence));
    const note = [finding.note, ...untold].filter((part) => part !== undefined).join(' ');
    const told = { ...finding, ...(note === '' ? {} : { note }) };
    if (finding.outcome === 'inconclusive' || !stopped.felt) return told;
    const { expected: _expected, seen: _seen, ...rest } = told;
    return {
      ...rest,
      outcome: 'inconclusive',
      cause: because('page-stopped'),
      reason: `${finding.reason} The suite stopped a request of the page, so that this may not be the service's doing.`,
    };
  });
