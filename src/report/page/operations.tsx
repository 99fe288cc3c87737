/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { outcomes } from '../../engine/outcomes.js';
import type { Finding, OperationResult } from '../../engine/results.js';
import { count, counted } from '../../words.js';
import type { RunHead } from '../sentences.js';
import { visible } from '../text.js';
import { tally } from './contract.js';
import { around, each, hole } from './pieces.js';
import { Mark, Prose } from './words.js';

const accesses = ['protected', 'public', 'unstated'] as const;

/** Coverage by access and method, each operation, and why some were not probed. */
export const operationsSection = (head: RunHead): Iterable<string> => {
  const left = head.operations.filter(({ probed }) => !probed);
  const findings = new Map<string, Finding[]>();
  for (const finding of head.checks) {
    const own = findings.get(finding.operation);
    if (own) own.push(finding);
    else findings.set(finding.operation, [finding]);
  }
  const line = (operation: OperationResult): JSX.Element => (
    <li>
      <code class="method">{visible(operation.method)}</code> <code class="path">{visible(operation.path)}</code>{' '}
      <span class="facts">
        {visible(operation.id)} · {operation.access} ·{' '}
        {operation.probed ? tally(findings.get(operation.id) ?? []) || 'no check' : 'not probed'}
      </span>
    </li>
  );
  return around(
    <section id="operations">
      <h2>Operations</h2>
      <p class="lead">
        {head.requestsSent === 0
          ? `No request got through: none of ${counted(head.operations.length, 'operation')} was probed.`
          : `${counted(head.operations.length - left.length, 'operation')} of ${count(head.operations.length)} ${head.operations.length - left.length === 1 ? 'was' : 'were'} probed.`}
      </p>
      {head.requestsSent > 0 && <Coverage of={head.operations} />}
      {left.length > 0 && (
        <>
          <h3>Not probed</h3>
          <Unprobed of={left} />
        </>
      )}
      <details class="all" open={head.operations.length <= 25}>
        <summary>All {counted(head.operations.length, 'operation')}</summary>
        <ul class="operations">{hole}</ul>
      </details>
    </section>,
    each(head.operations, line),
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
  const reasons = new Map<string, OperationResult[]>();
  for (const operation of of) {
    const reason = operation.reason ?? 'No reason was recorded.';
    const own = reasons.get(reason);
    if (own) own.push(operation);
    else reasons.set(reason, [operation]);
  }
  return (
    <>
      {[...reasons].map(([reason, own]) => (
        <article class="saying">
          <p class="reason">
            <Prose text={reason} />
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

/** What the signs mean, and the settings that change what is judged. */
export const About = ({ head }: { head: RunHead }): JSX.Element => (
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
      The lines for a terminal read the key from a variable: <code>export API_KEY=…</code> first
      {head.options.CA_FILE === true && (
        <>
          {' '}
          (and <code>CA_FILE</code>)
        </>
      )}
      . No key is in this file, nor in any other that the suite writes; what the key opens is shown by structure and
      size
      {head.options.EVIDENCE === 'full' ? ', except that this run was told to store it' : ''}. Everything here is
      rendered from <code>results.json</code> beside this page.
    </p>
    <details>
      <summary>Settings of this run</summary>
      <dl class="settings">
        {Object.entries(head.options).map(([name, value]) => (
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
