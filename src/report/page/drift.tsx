/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { driftSentence, driftSurety, driftWords } from '../drift.js';
import type { RunSummary } from '../run-summary.js';
import { capitalised, visible } from '../text.js';

/** What is new, gone or other than in the baseline. */
export const DriftSection = ({ run }: { run: RunSummary }): JSX.Element | null => {
  const { drift = [] } = run;
  if (drift.length === 0) return null;
  return (
    <section id="drift">
      <h2>Drift</h2>
      <p class="lead">
        {capitalised(driftSentence(run))}. The contract leaves these open, so nothing here breaks it.{' '}
        <code>access-conformance baseline</code> accepts what was seen.
      </p>
      <ul>
        {drift.map((each) => (
          <li>
            <code>{visible(each.id)}</code>: {visible(driftWords(each))}
            {driftSurety(each) !== '' && ` (${driftSurety(each)})`}
          </li>
        ))}
      </ul>
    </section>
  );
};
