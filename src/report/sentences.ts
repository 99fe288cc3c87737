import type { Outcome } from '../engine/outcomes.js';
import type { Finding, Results } from '../engine/results.js';
import { count, counted } from '../words.js';

/** A run without its exchanges: what every report needs in memory. */
export type RunHead = Omit<Results, 'exchanges'>;

/** The contract by its title and version, with every overlay that changed it and the beginning of its digest. */
export const contractName = ({ title, version, file, overlays = [] }: RunHead['contract']): string => {
  const name = `${title} ${version}`.trim() || file;
  return overlays.length === 0
    ? name
    : `${name} with ${overlays.length === 1 ? 'the overlay' : 'the overlays'} ${overlays.map(({ file, sha256 }) => `${file} (sha256 ${sha256.slice(0, 12)})`).join(', ')}`;
};

/** Failed and not a known deviation: what makes a run non-conformant. */
export const isBroken = (finding: Finding): boolean => finding.outcome === 'failed' && finding.deviation === undefined;

/** Failed, or under STRICT lenient, and known to. */
export const isDeviation = (finding: Finding): boolean => finding.deviation !== undefined;

const open: ReadonlySet<Outcome> = new Set(['inconclusive', 'blocked']);

/** Not judged, and judgeable after somebody does something. */
export const isOpen = (finding: Finding): boolean => open.has(finding.outcome);

/** What could not be judged, causes first: a blocked check rests on something that stands elsewhere in the list. */
export const openFindings = ({ checks }: RunHead): readonly Finding[] => {
  const all = checks.filter(isOpen);
  return [...all.filter(({ outcome }) => outcome !== 'blocked'), ...all.filter(({ outcome }) => outcome === 'blocked')];
};

/** True when lenient checks weigh (setting STRICT). */
export const isStrict = (head: RunHead): boolean => head.options.STRICT === true || head.options.STRICT === 'true';

/** The part of a run that a Playwright shard judged alone, `1/3`; what belongs to the whole is not there. */
export const shardOf = ({ options }: RunHead): string | undefined =>
  typeof options.SHARD === 'string' ? options.SHARD.replace('/', ' of ') : undefined;

/** The shard, where nothing is broken in it: alone it is no verdict. */
export const greenShardOf = (head: RunHead): string | undefined =>
  head.verdict === 'conformant' || head.verdict === 'deviating' ? shardOf(head) : undefined;

interface Standing {
  readonly judged: number;
  readonly broken: number;
  readonly deviating: number;
  readonly openOnes: number;
  readonly lenient: number;
}

/** How many clauses are broken, known to deviate, could not be judged; a clause counts once, in that order. */
export const standingOf = (head: RunHead): Standing => {
  const findings = new Map(head.checks.map((finding) => [finding.id, finding]));
  const standing = { judged: 0, broken: 0, deviating: 0, openOnes: 0, lenient: 0 };
  for (const clause of head.clauses) {
    const own = clause.checks.flatMap((id) => findings.get(id) ?? []);
    if (clause.outcome !== 'excluded') standing.judged += 1;
    if (own.some(isBroken)) standing.broken += 1;
    else if (own.some(isOpen) || open.has(clause.outcome)) standing.openOnes += 1;
    else if (own.some(isDeviation)) standing.deviating += 1;
    else if (own.some(({ outcome }) => outcome === 'lenient')) standing.lenient += 1;
  }
  return standing;
};

/** Whether no request got through: all that was selected rests on one that did not. (A certificate that is not trusted is an answer.) */
const gaveNoAnswer = ({ checks }: RunHead): boolean =>
  checks.some(
    ({ rule, outcome, cause }) => rule === 'serves-https' && outcome === 'inconclusive' && cause?.id === 'no-answer',
  ) &&
  checks.every(
    ({ rule, outcome, blockedBy = [] }) =>
      outcome === 'excluded' ||
      rule === 'serves-https' ||
      (outcome === 'blocked' && blockedBy.includes('serves-https@service')),
  );

const are = (value: number): string => (value === 1 ? 'is' : 'are');

/**
 * The verdict as one sentence, without a full stop: `Not conformant: 2 of 10 clauses are broken`. It counts clauses; a run whose
 * broken or open checks belong to no clause counts checks instead.
 */
export const verdictSentence = (head: RunHead): string => {
  const green = greenShardOf(head);
  if (green)
    return `Shard ${green}: nothing in this part is broken${head.verdict === 'deviating' ? ' but what is known and accepted' : ''}; access-conformance merge gives the verdict`;
  const shard = shardOf(head);
  return `${shard ? `Shard ${shard}. ` : ''}${wholeSentence(head)}`;
};

const wholeSentence = (head: RunHead): string => {
  const { judged, broken, deviating, openOnes, lenient } = standingOf(head);
  const of = (value: number): string => `${value} of ${counted(judged, 'clause')}`;
  const cut = head.complete ? '' : ', and the run was cut short';
  switch (head.verdict) {
    case 'non-conformant': {
      if (broken > 0) return `Not conformant: ${of(broken)} ${are(broken)} broken${cut}`;
      if (isStrict(head) && lenient > 0)
        return `Not conformant: strict mode, and ${of(lenient)} ${lenient === 1 ? 'lets' : 'let'} more in than the contract describes${cut}`;
      return `Not conformant: ${counted(head.counts.failed, 'check')} failed${cut}`;
    }
    case 'incomplete': {
      if (head.checks.length === 0) return 'Not judged: no check was run';
      if (gaveNoAnswer(head)) return `Not judged: the deployment gave no answer${cut}`;
      if (openOnes > 0) return `Not judged in full: ${of(openOnes)} could not be judged, none is broken${cut}`;
      if (!head.complete) return 'Not judged in full: the run was cut short, and nothing broken was seen until then';
      if (head.counts.inconclusive + head.counts.blocked === 0)
        return 'Not judged: nothing that was selected can pass or fail';
      return `Not judged in full: ${counted(head.counts.inconclusive + head.counts.blocked, 'check')} could not be judged, none failed`;
    }
    case 'deviating':
      return `Deviating: ${of(deviating)} ${are(deviating)} broken in a way that is known and accepted, the rest ${judged - deviating === 1 ? 'holds' : 'hold'}`;
    case 'conformant': {
      const left = head.clauses.length - judged;
      return `Conformant: ${judged === 1 ? 'the one judged clause holds' : `all ${judged} judged clauses hold`}${left > 0 ? `, ${left} ${left === 1 ? 'was' : 'were'} left out` : ''}`;
    }
  }
};

/** The same for findings that say the same, whatever the operation. Those of older files have no cause, and stand alone. */
export const sayingOf = ({ cause, id }: Pick<Finding, 'cause' | 'id'>): string => (cause ? JSON.stringify(cause) : id);

/** The exchange that shows what a finding says: the decisive one, if it has any. */
export const decisiveId = (finding: Finding): string | undefined => finding.exchanges[0];

/** How many operations of the document the run did not probe, as a sentence; `''` where it probed all. */
export const unprobedSentence = ({ operations }: Pick<RunHead, 'operations'>): string => {
  const left = operations.filter(({ probed }) => !probed);
  if (left.length === 0) return '';
  const locked = left.filter(({ access }) => access === 'protected').length;
  return `${count(left.length)} of ${counted(operations.length, 'operation')} ${left.length === 1 ? 'was' : 'were'} not probed${locked > 0 ? `, ${count(locked)} of them protected` : ''}`;
};
