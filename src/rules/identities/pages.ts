import type { Response } from '../../wire/types.js';
import { header } from '../oracle/answers.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import { type Leaf, type Row, type View, viewIn } from '../oracle/view.js';
import type { KeyHolder } from '../rule.js';

/** Whether a list is seen to be whole: only then does a row that it lacks say anything. */

/** Length of the list at a path; a list that is gone or null holds no rows. */
const lengthAt = (view: View, path: string): number => view.lists.get(path)?.length ?? 0;

const nextLink = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i;

/** What HTTP itself says of parts and of further pages (RFC 9110 section 15.3.7, RFC 8288). */
const saysThereIsMore = (answer: Response): boolean =>
  answer.status === 206 || nextLink.test(header(answer, 'link') ?? '');

const isSameLeaf = (a: Leaf, b: Leaf | undefined): boolean => b !== undefined && a.digest === b.digest;

/**
 * Whether something beside the rows may point to more of them: a link, a number above that of the
 * rows, or a value that stays and is in no answer to the other. A cursor has no certain name.
 */
const pointsOn = (leaf: Leaf, again: Leaf | undefined, others: Leaf | undefined, known: readonly string[]): boolean => {
  if (leaf.type === 'list') return leaf.link === true;
  if (leaf.type === 'null') return false;
  if (leaf.link === true || leaf.exceeds === true) return true;
  return isSameLeaf(leaf, again) && !isSameLeaf(leaf, others) && !known.includes(leaf.digest);
};

/**
 * Whether the list that an identity gets may be one page of more, beside the one that another gets
 * and that holds `row`. Whole is what is shorter than that page, which was not full then, and has
 * nothing beside its rows that may point to more.
 */
export const isPerhapsPage = (
  { first, second }: UsableControls,
  { owns }: KeyHolder,
  { list, row }: { readonly list: UsableControls; readonly row: Row },
): boolean => {
  const [view, again, other] = [first, second, list.first].map(({ shape }) => viewIn(shape));
  if (!view || !other || first.shape.capped || first.shape.truncated || saysThereIsMore(first)) return true;
  const path = [...other.lists].find(([, { rows }]) => rows.includes(row))?.[0];
  // One record is no page.
  if (path === undefined) return view.lists.size > 0;
  if (lengthAt(view, path) >= lengthAt(other, path)) return true;
  const known = [...view.lists.values()].flatMap(({ count }) => count ?? []).concat(owns ?? []);
  return [...view.outside].some(([at, leaf]) => pointsOn(leaf, again?.outside.get(at), other.outside.get(at), known));
};
