import type { Contract, Operation } from '../contract/model.js';
import { visible } from '../report/text.js';
import { jsonText } from '../visible.js';
import { counted, firstOf } from '../words.js';

/**
 * Statuses of a success that comes without content, or before the work is done (RFC 9110, sections
 * 15.3.3, 15.3.5 and 15.3.6).
 */
const withoutContent: ReadonlySet<string> = new Set(['202', '204', '205']);

/**
 * GET operations of which every documented success is without content. A read that gives nothing to
 * read is sent for what it does, although GET is defined as safe (RFC 9110, section 9.2.1).
 */
const readsWithoutContent = ({ operations }: Pick<Contract, 'operations'>): readonly Operation[] =>
  operations.filter(({ method, responses }) => {
    const successes = responses.filter(({ status }) => status.startsWith('2'));
    return method === 'GET' && successes.length > 0 && successes.every(({ status }) => withoutContent.has(status));
  });

/** How an operation is left out of a run, as a line of a DEVIATIONS file. */
const leaveOutLine = (id: string): string => `- {leaveOut: ${jsonText(id)}, reason: …}`;

/** What is said of such reads, and what to do about them; `undefined` if there are none. */
export const readsWithoutContentWords = (
  contract: Pick<Contract, 'operations'>,
): { readonly says: string; readonly advice: string } | undefined => {
  const [first, ...others] = readsWithoutContent(contract);
  if (!first) return undefined;
  const all = [first, ...others];
  return {
    says: `${counted(all.length, 'GET is', 'GETs are')} documented without content (202, 204 or 205) and may do something: ${firstOf(
      all.map(({ id }) => visible(id)),
      5,
    )}.`,
    advice: `A run sends GETs with the key, since GET is safe (RFC 9110, 9.2.1). If one is not, leave it out with a line of a DEVIATIONS file: ${visible(leaveOutLine(first.id))}`,
  };
};
