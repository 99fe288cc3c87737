import type { Verdict } from '../engine/outcomes.js';
import type { Coverage } from '../engine/results.js';
import { counted } from '../words.js';
import {
  countClauses,
  coverageInPart,
  isStrict,
  isUnjudged,
  partlyJudged,
  type RunSummary,
  shardWithoutFailures,
} from './run-summary.js';

/** The JSON that a Shields endpoint badge reads: https://shields.io/badges/endpoint-badge */
export interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
  readonly isError?: true;
}

const colours: Readonly<Record<Verdict, string>> = {
  conformant: 'brightgreen',
  deviating: 'yellow',
  drifted: 'orange',
  incomplete: 'lightgrey',
  'non-conformant': 'red',
};

const labelOf = ({ contract: { overlays = [] } }: RunSummary): string =>
  overlays.length === 0 ? 'access contract' : `access contract with ${counted(overlays.length, 'overlay')}`;

const operationsOf = ({ judged, operations }: Coverage): string => `${judged} of ${counted(operations, 'operation')}`;

const extentOf = ({ coverage, recording }: RunSummary): string =>
  `${recording.part === true ? 'selected checks alone, ' : ''}${operationsOf(coverage)}`;

/** Said where not every operation was judged. */
const inPart = (run: RunSummary): string => {
  const part = partlyJudged(run);
  return part ? `, ${operationsOf(part)}` : '';
};

/** The badge counts clauses. A percentage would hide clauses that were not judged. */
export const badgeOf = (run: RunSummary): Badge => {
  const badge = { schemaVersion: 1, label: labelOf(run) } as const;
  const { judged, broken, deviating, unjudged, lenient } = countClauses(run);
  const open = unjudged || run.checks.filter(isUnjudged).length;
  if (judged === 0) return { ...badge, message: 'nothing judged', color: colours.incomplete };
  const shard = shardWithoutFailures(run);
  if (shard) return { ...badge, message: `shard ${shard} alone`, color: colours.incomplete };
  const message: Readonly<Record<Verdict, string>> = {
    conformant: `conformant, ${extentOf(run)}`,
    deviating: `deviating, ${deviating} known${inPart(run)}`,
    drifted: `drifted, ${counted((run.drift ?? []).length, 'fact')}`,
    incomplete: coverageInPart(run)
      ? `not judged in full, ${extentOf(run)}`
      : run.complete && open > 0
        ? `not judged: ${open} of ${judged}`
        : 'run cut short',
    'non-conformant':
      broken > 0
        ? `${broken} of ${counted(judged, 'clause')} broken${inPart(run)}`
        : isStrict(run)
          ? `${lenient} of ${counted(judged, 'clause')} lenient${inPart(run)}`
          : 'not conformant',
  };
  const isError = run.verdict === 'non-conformant' ? ({ isError: true } as const) : {};
  return { ...badge, message: message[run.verdict], color: colours[run.verdict], ...isError };
};
