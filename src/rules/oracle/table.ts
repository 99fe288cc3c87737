import { isUnavailable } from './answers.js';
import type { Evidence } from './evidence.js';
import { isPerhapsEmptyList } from './view.js';

/**
 * The table that judges an answer: the first line that fits decides. docs/how-it-judges.md explains
 * it.
 *
 * What it rests on, in the order to read it: `view.ts` and `contents.ts` (where values stand in a
 * body), `same.ts` (equal but for volatile parts), `keyed.ts` (what the key gets), `comparisons.ts`
 * (what anybody gets), `records.ts`, `tables.ts` and `outside.ts` (the three ways to compare), and
 * `evidence.ts`. `reading.ts` applies it to an exchange; `usable-controls.ts` says whether there is
 * anything to compare with.
 */

type Verdict = 'granted' | 'refused' | 'unclear';

export interface Reading {
  readonly verdict: Verdict;
  readonly line: number;
  /** In words: `200, a record that the key gets`. */
  readonly seen: string;
  /** A refusal in a 2xx body, or by a server error. */
  readonly remarkable?: true;
  /** One such answer is not enough (a server error): the request is sent again. */
  readonly again?: true;
}

type Decision = readonly [verdict: Verdict, words: string, more?: Pick<Reading, 'remarkable' | 'again'>];

interface Line {
  readonly line: number;
  /** The line's question, and the reading if the answer is yes. Shown by `explain`. */
  readonly asks: string;
  readonly reads: string;
  /** The reading, or `undefined` if the line does not fit. */
  readonly decide: (evidence: Evidence) => Decision | undefined;
}

export const remarkable = { remarkable: true } as const;

/** A refusal in a 2xx body, unless sibling operations refuse by status, or the key gets other forms too. */
const refusedInBody = ({ background }: Evidence, words: string): Decision => {
  if (background.refusesByStatus()) return ['unclear', `${words}, where other operations refuse by status`];
  if (background.variesInForm) return ['unclear', `${words}, where the key gets answers of several forms`];
  return ['refused', words, remarkable];
};

const sharedRecord: Decision = ['unclear', 'a record that the key gets, and that other operations give in refusals'];

/** Lines 0 to 12. Those that need no body are in `reading.ts`: 4 (redirects) and the rest of 3 (no answer). */
export const table: readonly Line[] = [
  {
    line: 0,
    asks: 'Are the lists of the keyed answer and of this one both empty, and are there no two formatted values beside them that nothing else has?',
    reads:
      'Unclear, unless a request without its bypass is refused by status and the bypass at a missing path gets another answer, or it is what the key gets and a row of the list above it, or of that which gave its id, or has something that nothing else has while sibling operations refuse by status: then granted.',
    decide: (e) => {
      if (e.givesKey() || !e.bothEmpty() || e.isNothing() || (!e.success && e.shared() === undefined)) return undefined;
      const { anonymousRefused, missingDiffers } = e.background;
      const shared = e.shared();
      // The list has this record as a row, or siblings refuse by status and nobody gets a page in
      // place of a refusal. So the answer is data although its lists are empty.
      if (
        e.success &&
        shared !== undefined &&
        (e.background.isListed() || (shared > 0 && e.background.refusesByStatus()))
      )
        return ['granted', 'the answer that the key gets'];
      return e.success && anonymousRefused && shared !== undefined && missingDiffers()
        ? ['granted', 'the empty answer that the key gets, where a request without its bypass is refused']
        : [
            'unclear',
            e.background.keyed.view === undefined
              ? 'empty, and so is what the key gets'
              : 'with empty lists, as what the key gets: perhaps a page without rows',
          ];
    },
  },
  {
    line: 1,
    asks: 'Does it carry a record of the key’s owner, or the key itself, of which nothing was sent?',
    reads: 'Granted, at any status, also in a body that breaks off or in header fields.',
    decide: (e) => {
      if (e.givesKey()) return ['granted', 'the key itself'];
      if (e.carriesRecord() && !e.isNothing()) return ['granted', 'a record that the key gets'];
      return e.fieldsCarryRecord() ? ['granted', 'a record that the key gets, in its header fields'] : undefined;
    },
  },
  {
    line: 2,
    asks: 'Is it the answer of a path that does not exist, or of a request without the bypass?',
    reads: 'Refused.',
    decide: (e) => (e.isNothing() ? ['refused', 'the answer that is given where nothing is'] : undefined),
  },
  {
    line: 3,
    asks: 'Is it no answer at all (429, 502, 503, 504)?',
    reads:
      'Unclear. A connection that is closed each time, where the key gets through, is a refusal; so is 502 each time, also where nothing is.',
    decide: ({ seen, status }) =>
      status === 429
        ? ['unclear', 'a rate limit to the end']
        : isUnavailable(seen)
          ? ['unclear', 'which is no answer']
          : undefined,
  },
  {
    line: 4,
    asks: 'Is it a redirect?',
    reads:
      'As its end is read, followed without credentials; an end that may not be followed: refused where a missing path leads there too, else unclear.',
    decide: () => undefined,
  },
  {
    line: 5,
    asks: 'Is it what the key gets, but for what changes from read to read?',
    reads: 'Granted with a success status, else with two rows or values that nothing else has; unclear without any.',
    decide: (e) => {
      const shared = e.shared();
      if (shared === undefined) return undefined;
      if (e.success && (shared > 0 || e.background.refusesByStatus()))
        return ['granted', 'the answer that the key gets'];
      if (!e.success && shared >= 2) return ['granted', 'the body that the key gets'];
      // An error status without any of the owner's values is read by the lines below.
      if (!e.success && shared === 0) return undefined;
      return ['unclear', 'the body that the key gets, with nothing in it that is not elsewhere too'];
    },
  },
  {
    line: 6,
    asks: 'Has it rows of the keyed kind, that nobody gets elsewhere?',
    reads: 'Granted, unless something beside them says otherwise: then unclear.',
    decide: (e) => {
      if (!e.tableOfKind() || e.background.keyed.rows.length === 0) return undefined;
      return !e.outside().says && (e.success || e.keyedTree(false))
        ? ['granted', 'other rows of the kind that the key gets']
        : ['unclear', 'rows of the kind that the key gets, beside something that the key does not get'];
    },
  },
  {
    line: 7,
    asks: 'Is its status no success, and something in it like data?',
    reads: 'Unclear.',
    decide: (e) => {
      if (e.success) return undefined;
      const { keyed } = e.background;
      const isRecordTree =
        keyed.isRecord &&
        e.keyedTree(true) &&
        keyed.first.shape.shape?.type === 'object' &&
        keyed.first.shape.shape.members.length >= 3;
      const isOneRow = e.fittingRows() > 0 && e.keyedTree(true);
      const mayHoldRows = e.anyTable() || e.fittingRows() >= 2 || isOneRow || e.resemblesRow();
      if (e.sharesRecordWithRefusals()) return sharedRecord;
      return e.mayCarryRecord() || mayHoldRows || e.owned() > 0 || isRecordTree
        ? ['unclear', 'no success, with something in it that may be data']
        : undefined;
    },
  },
  {
    line: 8,
    asks: 'Is its status no success?',
    reads: 'Refused; a server error is asked again, unless the request without a key gets it each time.',
    decide: ({ success, status }) =>
      success
        ? undefined
        : status >= 500
          ? ['refused', 'a server error', { remarkable: true, again: true }]
          : ['refused', ''],
  },
  {
    line: 9,
    asks: 'Are the rows empty or gone that the key gets?',
    reads:
      'Refused where the rest says something else, or where a path that does not exist is as empty; granted where a count of rows follows them and nothing else changed; else unclear.',
    decide: (e) => {
      const { keyed } = e.background;
      if (keyed.rows.length === 0 || e.foreign || e.broken || !e.listsEmptyOrGone()) return undefined;
      if (e.anyTable() || e.fittingRows() >= 2 || e.resemblesRow())
        return ['unclear', 'no rows in their place, and other rows'];
      if (e.owned() > 0) return ['unclear', 'no rows of the keyed kind, and a value that the key gets'];
      if (e.sharesRecordWithRefusals()) return sharedRecord;
      if (e.outside().says) return refusedInBody(e, 'another body, without the rows that the key gets');
      if (e.isCountedEmpty())
        return e.isNothingCountedEmpty()
          ? ['refused', 'as empty as where nothing is', remarkable]
          : ['granted', 'opened, and nothing in it'];
      return ['unclear', 'without the rows that the key gets, and nothing that says why'];
    },
  },
  {
    line: 10,
    asks: 'Has the key’s account no rows?',
    reads:
      'Granted where one list is filled and the rest agrees; refused where the rest says something else; else unclear.',
    decide: (e) => {
      const { keyed } = e.background;
      if (!keyed.isEmpty || keyed.view === undefined || keyed.view.lists.size === 0 || e.foreign || e.broken)
        return undefined;
      if (keyed.view.lists.size === 1 && e.tableOfKind() && e.outside().agrees && !e.outside().says)
        return ['granted', 'rows, where the key’s own account has none'];
      if (!e.inAnotherFormat && e.outside().says && !e.anyTable() && e.owned() === 0 && e.listsEmptyOrGone())
        return refusedInBody(e, 'another body than the key gets');
      return ['unclear', 'another body than the key gets, whose account has no rows'];
    },
  },
  {
    line: 11,
    asks: 'May anything in it be data?',
    reads: 'Unclear.',
    decide: (e) => {
      const { keyed } = e.background;
      const [own, seen] = [keyed.first.shape, e.seen.shape];
      const isOfMediaType = seen.kind !== 'empty' && seen.mediaType === own.mediaType && seen.kind === own.kind;
      if (seen.kind === 'binary') return ['unclear', 'a body that cannot be read'];
      if (e.anyTable()) return ['unclear', 'rows of some kind'];
      if (e.inAnotherFormat && (keyed.isEmpty || isPerhapsEmptyList(own)) && e.holdsEmptyList())
        return ['unclear', 'an empty list in another format than the key gets, whose account has no rows'];
      if (e.fittingRows() > 0 || e.halfRows() || e.resemblesRow())
        return ['unclear', 'a row like those that the key gets'];
      if (e.owned() > 0) return ['unclear', 'a value that the key gets'];
      if (e.sharesRecordWithRefusals()) return sharedRecord;
      if (
        e.keyedTree(false) &&
        (keyed.isRecord ||
          (own.shape?.type === 'object' && (!e.holdsTable() || e.outside().agrees) && !e.outside().says))
      )
        return ['unclear', 'the members that the key gets, with other values'];
      if (isOfMediaType && (keyed.view === undefined || own.kind === 'html'))
        return ['unclear', 'another body of the same media type, which has no rows to compare'];
      if (keyed.isRecord && !e.foreign && !e.outside().says) return ['unclear', 'nothing that the key does not get'];
      if (e.broken && isOfMediaType) return ['unclear', 'a body that breaks off'];
      return undefined;
    },
  },
  {
    line: 12,
    asks: 'Is it any other success?',
    reads: 'Refused, with a remark; unclear where sibling operations refuse by status.',
    decide: (e) => refusedInBody(e, 'another body than the key gets'),
  },
];
