import type { Contract } from '../contract/model.js';
import { byReason } from '../report/run-summary.js';
import { visible } from '../report/text.js';
import { count, counted } from '../words.js';
import type { Terminal } from './terminal.js';

const mostNames = 3;
/** Reasons that are printed; the JSON form has all. */
const mostReasons = 20;

/** Prints the operations that a run does not probe, grouped by reason; nothing if it probes all. */
export const printUnprobed = ({ operations, unprobed }: Contract, terminal: Terminal): void => {
  if (unprobed.length === 0) return;
  const { bold, dim } = terminal.colours;
  const all = operations.length + unprobed.length;
  const locked = unprobed.filter(({ access }) => access === 'protected').length;
  const ofThem = locked > 0 ? `, ${count(locked)} of them protected` : '';
  terminal.out(
    `\n${bold(`${count(unprobed.length)} of ${counted(all, 'operation')} ${unprobed.length === 1 ? 'is' : 'are'} not probed${ofThem}`)}\n`,
  );
  const groups = byReason(unprobed);
  for (const group of groups.slice(0, mostReasons)) {
    const names = group.slice(0, mostNames).map(({ id }) => id);
    const more = group.length > mostNames ? ` and ${count(group.length - mostNames)} more` : '';
    terminal.out(`  ${visible(names.join(', '))}${more}  ${dim(visible(group[0]?.reason ?? ''))}\n`);
  }
  if (groups.length > mostReasons)
    terminal.out(`  … and ${counted(groups.length - mostReasons, 'more reason')}; --json has them all\n`);
};
