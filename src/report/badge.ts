import type { Verdict } from '../engine/outcomes.js';
import { counted } from '../words.js';
import { greenShardOf, isOpen, isStrict, type RunHead, standingOf } from './sentences.js';

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
  incomplete: 'lightgrey',
  'non-conformant': 'red',
};

const labelOf = ({ contract: { overlays = [] } }: RunHead): string =>
  overlays.length === 0 ? 'access contract' : `access contract with ${counted(overlays.length, 'overlay')}`;

/** Counts clauses, never a percentage: what was not judged must not look like a part of a whole. */
export const badgeOf = (head: RunHead): Badge => {
  const label = labelOf(head);
  const { judged, broken, deviating, openOnes, lenient } = standingOf(head);
  const open = openOnes || head.checks.filter(isOpen).length;
  if (judged === 0) return { schemaVersion: 1, label, message: 'nothing judged', color: colours.incomplete };
  const shard = greenShardOf(head);
  if (shard) return { schemaVersion: 1, label, message: `shard ${shard} alone`, color: colours.incomplete };
  const message: Readonly<Record<Verdict, string>> = {
    conformant:
      judged === head.clauses.length
        ? `conformant, ${counted(judged, 'clause')}`
        : `conformant, ${judged} of ${counted(head.clauses.length, 'clause')} judged`,
    deviating: `deviating, ${deviating} known`,
    incomplete: head.complete && open > 0 ? `not judged: ${open} of ${judged}` : 'run cut short',
    'non-conformant':
      broken > 0
        ? `${broken} of ${counted(judged, 'clause')} broken`
        : isStrict(head)
          ? `${lenient} of ${counted(judged, 'clause')} lenient`
          : 'not conformant',
  };
  return {
    schemaVersion: 1,
    label,
    message: message[head.verdict],
    color: colours[head.verdict],
    ...(head.verdict === 'non-conformant' ? { isError: true as const } : {}),
  };
};
