/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { groupBy } from '../../collections.js';
import { outcomes } from '../../engine/outcomes.js';
import type { OperationResult } from '../../engine/results.js';
import { count, counted } from '../../words.js';
import type { RunSummary } from '../run-summary.js';
import { visible } from '../text.js';
import { Mark, Prose } from './components.js';
import { tally } from './contract.js';
import { renderEach, renderWithSlots, slot } from './html-stream.js';

const accesses = ['protected', 'public', 'unstated'] as const;

/** Coverage by access and method, all operations, and why some were not probed. */
export const operationsSection = (run: RunSummary): Iterable<string> => {
  const left = run.operations.filter(({ probed }) => !probed);
  const findings = groupBy(run.checks, ({ operation }) => operation);
  const line = (operation: OperationResult): JSX.Element => (
    <li>
      <code class="method">{visible(operation.method)}</code> <code class="path">{visible(operation.path)}</code>{' '}
      <span class="facts">
        {visible(operation.id)} · {operation.access} ·{' '}
        {operation.probed ? tally(findings.get(operation.id) ?? []) || 'no check' : 'not probed'}
      </span>
    </li>
  );
  return renderWithSlots(
    <section id="operations">
      <h2>Operations</h2>
      <p class="lead">
        {run.requestsSent === 0
          ? `No request got through: none of ${counted(run.operations.length, 'operation')} was probed.`
          : `${count(run.operations.length - left.length)} of ${counted(run.operations.length, 'operation')} ${run.operations.length - left.length === 1 ? 'was' : 'were'} probed.`}
      </p>
      {run.requestsSent > 0 && <Coverage of={run.operations} />}
      {left.length > 0 && (
        <>
          <h3>Not probed</h3>
          <Unprobed of={left} />
        </>
      )}
      <details class="all" open={run.operations.length <= 25}>
        <summary>All {counted(run.operations.length, 'operation')}</summary>
        <ul class="operations">{slot}</ul>
      </details>
    </section>,
    renderEach(run.operations, line),
  );
};

const Coverage = ({ of }: { of: readonly OperationResult[] }): JSX.Element => {
  const methods = [...new Set(of.map(({ method }) => method))].sort();
  const columns = accesses.filter((access) => of.some((operation) => operation.access === access));
  const cell = (match: (operation: OperationResult) => boolean): string => {
    const all = of.filter(match);
    return all.length === 0 ? '–' : `${count(all.filter(({ probed }) => probed).length)} of ${count(all.length)}`;
  };
  return (
    <table class="coverage">
      <caption>Probed operations by method and access</caption>
      <thead>
        <tr>
          <th scope="col">Method</th>
          {columns.map((access) => (
            <th scope="col">{access}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {methods.map((method) => (
          <tr>
            <th scope="row">
              <code>{visible(method)}</code>
            </th>
            {columns.map((access) => (
              <td>{cell((operation) => operation.method === method && operation.access === access)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const Unprobed = ({ of }: { of: readonly OperationResult[] }): JSX.Element => {
  const reasons = groupBy(of, ({ why, details = [], id }) =>
    JSON.stringify(why === undefined ? id : [why, ...details]),
  );
  return (
    <>
      {[...reasons.values()].map((own) => (
        <article class="reason-group">
          <p class="reason">
            <Prose text={own[0]?.reason ?? 'No reason was recorded.'} />
          </p>
          <ul class="links">
            {own.map((operation) => (
              <li>
                <code>
                  {visible(operation.method)} {visible(operation.path)}
                </code>
              </li>
            ))}
          </ul>
        </article>
      ))}
    </>
  );
};

/** Legend and settings. */
export const About = ({ run }: { run: RunSummary }): JSX.Element => (
  <section id="about">
    <h2>About this report</h2>
    <dl class="legend">
      {outcomes.map(({ outcome, meaning }) => (
        <div>
          <dt>
            <Mark outcome={outcome} word />
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
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
      This page was made from <code>results.json</code> in the same folder.
    </p>
    <details>
      <summary>Settings of this run</summary>
      <dl class="settings">
        {Object.entries(run.options).map(([name, value]) => (
          <div>
            <dt>
              <code>{visible(name)}</code>
            </dt>
            <dd>{value === null ? 'not set' : visible(String(value))}</dd>
          </div>
        ))}
      </dl>
    </details>
  </section>
);
