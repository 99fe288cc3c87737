/** @jsxImportSource preact */
import { outcomes } from '../../engine/outcomes.js';
import { severities } from '../../rules/support/headlines.js';
import { counted, firstOf } from '../../words.js';
import { byReason, type RunSummary } from '../run-summary.js';
import { visible } from '../text.js';
import { Mark, Prose, type Term, Terms } from './components.js';

const mostNamed = 40;

/** Why operations were not probed, those with one reason together. */
export const Unprobed = ({ run }: { run: RunSummary }) => {
  const left = run.operations.filter(({ probed }) => !probed);
  if (left.length === 0) return null;
  return (
    <section id="not-probed">
      <h2>Operations that were not probed</h2>
      {byReason(left).map((own) => (
        <details class="cause">
          <summary>
            <span class="mark quiet">–</span>
            <span class="text">
              <Prose text={own[0]?.reason ?? 'No reason was recorded.'} />
            </span>
            <span class="facts tally">{counted(own.length, 'operation')}</span>
          </summary>
          <p class="facts">
            {firstOf(
              own.map(({ method, path }) => `${visible(method)} ${visible(path)}`),
              mostNamed,
            )}
          </p>
        </details>
      ))}
    </section>
  );
};

export const About = ({ run }: { run: RunSummary }) => (
  <section id="about">
    <h2>About this report</h2>
    <p>
      The curl commands read the key from a variable: set it with <code>export API_KEY=…</code>
      {run.options.CA_FILE === true && (
        <>
          {' '}
          (and <code>CA_FILE</code>)
        </>
      )}
      . No report contains a key.{' '}
      {run.options.EVIDENCE === 'full'
        ? 'This run stored the bodies that the key opens (EVIDENCE=full).'
        : 'Bodies that the key opens are shown by structure and size.'}{' '}
      This page was made from <code>results.json</code> in the same folder, by{' '}
      {visible(`${run.tool.name} ${run.tool.version}`)}.
    </p>
    <details>
      <summary>What the signs mean, and how findings are ordered</summary>
      <Terms
        kind="legend"
        of={outcomes.map(({ outcome, meaning }): Term => [<Mark outcome={outcome} word />, meaning])}
      />
      <p>The worst comes first:</p>
      <ol>
        {severities.map(({ meaning }) => (
          <li>{meaning}</li>
        ))}
      </ol>
    </details>
    <details>
      <summary>Settings of this run</summary>
      <Terms
        kind="settings"
        of={[
          ...(run.target.httpBaseUrl === null ? [] : [['Plain HTTP', visible(run.target.httpBaseUrl)] as const]),
          ...Object.entries(run.options).map(
            ([name, value]): Term => [
              <code>{visible(name)}</code>,
              value === null ? 'not set' : visible(String(value)),
            ],
          ),
        ]}
      />
    </details>
  </section>
);
