/** @jsxImportSource preact */

import type { JSX } from 'preact';
import { groupBy } from '../../collections.js';
import { differs } from '../../engine/access-matrix.js';
import { entryOf, worst } from '../../engine/outcomes.js';
import type { Finding, MatrixCell, OperationResult } from '../../engine/results.js';
import { pathSegments } from '../../urls.js';
import { visible } from '../../visible.js';
import { count, counted } from '../../words.js';
import { cellWords, differingSentence, documentWords, matrixLegend } from '../describe-finding.js';
import type { RunSummary } from '../run-summary.js';
import { Mark, renderEach, renderWithSlots, slot, Wide } from './components.js';

/** The access matrix: operations × who asks, what the document says and what was seen. */

/** Nobody, an invalid key and the key ask in every run. */
const askingInEveryRun = 3;
/** More operations are grouped by path; the script makes the rows of a group that is opened. */
const mostRows = 200;
/** Operations that differ are shown above the groups. */
const mostDiffering = 100;
/** Without scripts all rows are shown, if they are not more. */
const mostUnscripted = 2_000;

interface MatrixRow {
  readonly at: number;
  readonly operation: OperationResult;
  readonly cells: readonly MatrixCell[];
  readonly checks: readonly Finding[];
}

export function* accessSection(run: RunSummary, findings: ReadonlyMap<string, Finding>): Generator<string> {
  const { identities, matrix, operations } = run;
  if (matrix.length === 0) return;
  const cells = groupBy(matrix, ({ operation }) => operation);
  const checks = groupBy(run.checks, ({ operation }) => operation);
  const rows = operations.map((operation, at): MatrixRow => {
    const { id } = operation;
    return { at, operation, cells: cells.get(id) ?? [], checks: checks.get(id) ?? [] };
  });
  const differing = rows.filter((row) => row.cells.some(differs));
  const names = identities.map(({ name }) => visible(name));
  const line = (row: MatrixRow) => <OperationRow row={row} findings={findings} />;
  const isGrouped = rows.length > mostRows;
  const shown = isGrouped ? differing.slice(0, mostDiffering) : rows;
  yield* renderWithSlots(
    <section id="access" data-section>
      <h2>Who gets what</h2>
      <p class="lead">
        {differing.length === 0 ? nothingDiffers(matrix) : differingSentence(differing.length, rows.length)}{' '}
        {names.length > askingInEveryRun
          ? 'Seen in plain requests, where each identity asks with ids of its own; ways round the check of a key, and ids of other accounts, are other checks.'
          : 'Seen in plain requests; ways round the check of the key are other checks.'}
      </p>
      <p class="controls">
        {differing.length > 0 && (
          <button type="button" data-differing aria-pressed="false">
            Only what differs: {count(differing.length)}
          </button>
        )}
      </p>
      <Wide label="Who gets what, a table">
        <table
          class={names.length > askingInEveryRun ? 'access many' : 'access'}
          data-matrix={isGrouped ? 'grouped' : 'rows'}
          data-columns={JSON.stringify(names)}
        >
          <caption>
            Operations and who asks for them
            {isGrouped && ', grouped by path'}
          </caption>
          <TableHead names={names} />
          <tbody data-rows>{slot}</tbody>
          {isGrouped && groupsOf(rows).map(([path, own]) => <GroupRow path={path} rows={own} names={names} />)}
        </table>
      </Wide>
      {differing.length > shown.length && isGrouped && (
        <p class="facts">{count(differing.length - shown.length)} more that differ are in the groups.</p>
      )}
      <Legend />
      {slot}
    </section>,
    renderEach(shown, line),
    isGrouped && rows.length <= mostUnscripted ? unscripted(rows, names, line) : [],
  );
}

/** Nothing differs where nothing was seen, which is to be said. */
const nothingDiffers = (matrix: readonly MatrixCell[]): string =>
  matrix.some(({ seen }) => seen === 'opens' || seen === 'refuses')
    ? 'Nobody was seen to get anything else than the document says.'
    : 'Nothing was seen: nobody got an answer that could be read.';

function* unscripted(rows: readonly MatrixRow[], names: readonly string[], line: (row: MatrixRow) => JSX.Element) {
  yield* renderWithSlots(
    <noscript>
      <table class="access">
        <caption>All operations</caption>
        <TableHead names={names} />
        <tbody>{slot}</tbody>
      </table>
    </noscript>,
    renderEach(rows, line),
  );
}

const TableHead = ({ names }: { names: readonly string[] }) => (
  <thead>
    <tr>
      {['Operation', 'Document', ...names, 'Checks'].map((name, column) => (
        <th scope="col" aria-sort="none">
          <button type="button" data-sort={column}>
            {name}
          </button>
        </th>
      ))}
    </tr>
  </thead>
);

const OperationRow = ({ row, findings }: { row: MatrixRow; findings: ReadonlyMap<string, Finding> }) => {
  const { at, operation, cells, checks } = row;
  const outcome = worst(checks.map((check) => check.outcome));
  const failed = checks.filter((check) => check.outcome === 'failed').length;
  const place = `${operation.method} ${operation.path}`;
  return (
    <tr data-operation={at}>
      <th scope="row">
        <code>{visible(place)}</code>
        {/* An operation without an operationId is called by its method and path. */}
        {operation.id !== place && <span class="facts"> {visible(operation.id)}</span>}
      </th>
      <td>{documentWords[operation.access]}</td>
      {cells.map((cell) => (
        <Cell cell={cell} check={findings.get(cell.check ?? '')} />
      ))}
      <td class={entryOf(outcome).tone}>
        {checks.length === 0 ? (
          <span class="facts">{operation.probed ? 'none' : 'not probed'}</span>
        ) : (
          <>
            <Mark outcome={outcome} /> {failed > 0 ? `${count(failed)} failed` : count(checks.length)}
          </>
        )}
      </td>
    </tr>
  );
};

const Cell = ({ cell, check }: { cell: MatrixCell; check: Finding | undefined }) => {
  const { text, glyph, tone } = cellWords(cell, check);
  const isDifferent = differs(cell);
  return (
    <td class={tone}>
      <span class="sign" aria-hidden="true">
        {glyph}
      </span>{' '}
      {isDifferent && check ? <a href={`#${encodeURIComponent(visible(check.id))}`}>{text}</a> : text}
      {isDifferent && <span class="sr">, the document says it {cell.documented}</span>}
    </td>
  );
};

/**
 * Rows by the first segments of their paths: groups of at most `mostRows`, where that is possible.
 */
const groupsOf = (rows: readonly MatrixRow[]): readonly (readonly [path: string, rows: readonly MatrixRow[]])[] => {
  const at = (depth: number) => groupBy(rows, ({ operation }) => prefixOf(operation.path, depth));
  const deepest = 6;
  let groups = at(1);
  for (let depth = 2; depth <= deepest && [...groups.values()].some((own) => own.length > mostRows); depth += 1) {
    const deeper = at(depth);
    if (deeper.size > mostRows) break;
    groups = deeper;
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
};

/** `/api/v2/` of `/api/v2/workout/` at depth 2. */
const prefixOf = (path: string, depth: number): string => {
  const segments = pathSegments(path);
  return segments.length <= depth ? path : `/${segments.slice(0, depth).join('/')}/`;
};

const GroupRow = ({ path, rows, names }: { path: string; rows: readonly MatrixRow[]; names: readonly string[] }) => (
  <tbody data-group={rows.map(({ at }) => at).join(' ')}>
    <tr class="group">
      <th scope="rowgroup" colSpan={2}>
        <button type="button" aria-expanded="false" data-unfold>
          <code>{visible(path)}</code> <span class="facts">{counted(rows.length, 'operation')}</span>
        </button>
      </th>
      {names.map((_, column) => (
        <td>{summaryOf(rows.flatMap(({ cells }) => cells[column] ?? []))}</td>
      ))}
      <td>{failuresOf(rows)}</td>
    </tr>
  </tbody>
);

/** `3 differ, 120 as documented` */
const summaryOf = (cells: readonly MatrixCell[]) => {
  const different = cells.filter(differs).length;
  const asked = cells.filter(({ seen }) => seen !== 'notAsked').length;
  if (different > 0)
    return (
      <span class="mark bad">
        ≠ {count(different)} of {count(cells.length)}
      </span>
    );
  return <span class="facts">{asked === 0 ? 'not asked' : `none differs of ${count(asked)}`}</span>;
};

const failuresOf = (rows: readonly MatrixRow[]): string => {
  const failed = rows.filter(({ checks }) => checks.some(({ outcome }) => outcome === 'failed')).length;
  return failed === 0 ? '' : `${count(failed)} with failures`;
};

const Legend = () => (
  <ul class="signs" aria-label="Signs">
    {matrixLegend.map(([glyph, tone, words]) => (
      <li class={tone}>
        <span class="sign" aria-hidden="true">
          {glyph}
        </span>{' '}
        {words}
      </li>
    ))}
  </ul>
);
