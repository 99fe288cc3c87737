import { existsSync, readFileSync } from 'node:fs';
import type { Finding } from '../../../src/engine/results.js';
import { asset } from '../../../src/package.js';
import type { Fault } from '../../../src/reference/index.js';
import { rules } from '../../../src/rules/index.js';

/** The generated table `docs/kill-matrix.md`: which fault makes which rule fail. */

export const matrixFile = asset('docs', 'kill-matrix.md');

/** Rules that no fault of this service makes fail. */
const provedElsewhere: ReadonlySet<string> = new Set([
  // Whoever sends the whole key has it: these are lenient at most.
  'takes-key-nowhere-else',
  'takes-no-other-format',
  // Proved on documents that state responses; the shipped contract does not.
  'documented-status',
  'documented-body',
  'documented-refusal',
  // Proved on the service with accounts and roles.
  'opens-to-stated-scopes',
  'refuses-other-scopes',
  'keeps-lists-apart',
  'keeps-items-apart',
]);

/**
 * Rules that can fail on the wire: observations cannot, and the faults of the key page have tests
 * of their own.
 */
export const killable = rules
  .filter(({ id, clauses, scope }) => clauses.length > 0 && scope !== 'key-page' && !provedElsewhere.has(id))
  .map(({ id }) => id);

export const rowOf = ({ name, clauses }: Pick<Fault, 'name' | 'clauses'>, findings: readonly Finding[]): string => {
  const failed = new Set(findings.filter(({ outcome }) => outcome === 'failed').map(({ rule }) => rule));
  const lines = findings
    .filter(({ outcome }) => outcome === 'failed')
    .flatMap(({ readings = [] }) => readings.filter(({ verdict }) => verdict === 'granted').map(({ line }) => line));
  const granted = [...new Set(lines)].sort((a, b) => a - b).join(', ');
  return `| ${name} | ${clauses.join(', ')} | ${granted} | ${killable.map((rule) => (failed.has(rule) ? '✗' : '')).join(' | ')} |`;
};

export const heading = [
  '# Kill matrix',
  '',
  'Which fault of the embedded service makes which rule fail. `npm run record-zoo` writes this table,',
  'and the self-tests hold it current: the whole suite judges every fault over real TLS. A column',
  'without ✗ would be a rule that nobody proves. Lines are those of the table in',
  '[how-it-judges.md](how-it-judges.md) by which the answers were read as granted.',
  '',
  'Faults of the service with accounts and roles (AUTH-5 and AUTH-6), of documented responses (DOC)',
  'and of the key page (PAGE) have self-tests of their own.',
  '',
  `| fault | clauses | lines | ${killable.join(' | ')} |`,
  `|---|---|---|${killable.map(() => '---').join('|')}|`,
];

/** The rows of the committed table by fault. */
export const committedRows = (): ReadonlyMap<string, string> => {
  const lines = existsSync(matrixFile) ? readFileSync(matrixFile, 'utf8').split('\n') : [];
  return new Map(
    lines.flatMap((line) => (/^\| (?!fault )[\w-]+ \|/.test(line) ? [[line.split(' ')[1] ?? '', line] as const] : [])),
  );
};
