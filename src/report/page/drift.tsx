/** @jsxImportSource preact */

import { visible } from '../../visible.js';
import { capitalised } from '../../words.js';
import { driftCurl, sureDriftWords } from '../describe-finding.js';
import { driftSentence } from '../run-summary.js';
import type { CausesProps } from './causes.js';
import { Command } from './components.js';

/** What is new, gone or other than in the baseline. */
export const DriftSection = ({ run, evidence, numberOf }: Pick<CausesProps, 'run' | 'evidence' | 'numberOf'>) => {
  const { drift = [], facts = [] } = run;
  const checks = new Map(facts.map(({ id, check }) => [id, check]));
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
            <code>{visible(each.id)}</code>: {visible(sureDriftWords(each))}
            <DriftEvidence
              curl={driftCurl(each, evidence.decisive, run.options)}
              check={numberOf(checks.get(each.id) ?? '')}
            />
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The curl command, and the exchanges of the check that saw the fact. */
const DriftEvidence = ({ curl, check }: { curl: string | undefined; check: number }) =>
  curl === undefined ? null : (
    <>
      <Command line={curl} />
      {check >= 0 && (
        <details class="evidence" data-check={check} data-part="exchanges">
          <summary>Evidence</summary>
        </details>
      )}
    </>
  );
