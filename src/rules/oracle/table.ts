import { firstOf } from '../../words.js';
import { isUnavailable } from './answers.js';
import type { Evidence } from './evidence.js';
import { isPerhapsEmptyList } from './view.js';

/**
 * The table that judges an answer: the first line that fits decides. docs/how-it-judges.md explains
 * it.
 *
 * What it rests on, in the order to read it: `view.ts` and `contents.ts` (where values stand in a
 * body), `same.ts` (equal but for volatile parts), `keyed.ts` (what the key gets), `background.ts`
 * (what anybody gets), `records.ts`, `tables.ts` and `outside.ts` (the three ways to compare), and
 * `evidence.ts`. `reading.ts` applies it to an exchange; `usable-controls.ts` says whether there is
 * anything to compare with.
 */

export interface Reading {
  readonly verdict: 'granted' | 'refused' | 'unclear';
  readonly line: number;
  /** In words: `200, a record that the key gets`. */
  readonly seen: string;
  /** A refusal in a 2xx body, or by a server error. */
  readonly remarkable?: true;
  /** One such answer is not enough (a server error): the request is sent again. */
  readonly again?: true;
  /** A success with none of the rows, or of the values of a record, that the key gets. */
  readonly isEmpty?: true;
}

type Decision = readonly [
  verdict: Reading['verdict'],
  words: string,
  more?: Pick<Reading, 'remarkable' | 'again' | 'isEmpty'>,
];

interface TableLine {
  readonly line: number;
  /** The line's question, and the reading if the answer is yes. Shown by `explain`. */
  readonly asks: string;
  readonly reads: string;
  /** The reading, or `undefined` if the line does not fit. */
  readonly decide: (evidence: Evidence) => Decision | undefined;
}

export const remarkable = { remarkable: true } as const;

/**
 * Refused in the body of a success; unclear if siblings refuse by status or the key gets several
 * forms.
 */
const refusedInBody = ({ background }: Evidence, words: string): Decision => {
  if (background.refusesByStatus()) return ['unclear', `${words}, where other operations refuse by status`];
  if (background.variesInForm) return ['unclear', `${words}, where the key gets answers of several forms`];
  return ['refused', words, remarkable];
};

const sharedRecord: Decision = ['unclear', 'a record that the key gets, and that other operations give in refusals'];

/**
 * Lines 0 to 12. Those that need no body are in `reading.ts`: 4 (redirects) and the rest of 3 (no
 * answer).
 */
export const table: readonly TableLine[] = [
  {
    line: 0,
    asks: 'Does the key get only empty lists or no body, with no two formatted values that nothing else has, and is this answer as empty?',
    reads:
      'Unclear. Granted if it is what the key gets and one of these holds: the request without the bypass is refused by status, and the bypass gets another answer at a missing path; or it is a row of a list that the key gets; or something in it is nowhere else, and sibling operations refuse by status.',
    decide: (e) => {
      if (e.givesKey() || !e.bothEmpty() || e.isNothing() || (!e.success && e.shared() === undefined)) return undefined;
      const { anonymousRefused, missingDiffers, isListed, refusesByStatus } = e.background;
      const shared = e.shared();
      // The list has this record as a row, or siblings refuse by status and nobody gets a page in
      // place of a refusal. So the answer is data although its lists are empty.
      const isData = (values: number): boolean => isListed() || (values > 0 && refusesByStatus());
      if (e.success && shared !== undefined && isData(shared)) return ['granted', 'the answer that the key gets'];
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
    asks: 'Does it carry a record of the key’s owner, or the key itself although it was not sent?',
    reads:
      'Granted, at any status. What stands in header fields, the reason phrase, trailers and interim responses counts together, and a body that breaks off counts too.',
    decide: (e) => {
      if (e.givesKey()) return ['granted', 'the key itself'];
      if (e.carriesRecord() && !e.isNothing()) return ['granted', 'a record that the key gets'];
      const names = e.fieldsWithRecord();
      return names.length > 0 ? ['granted', `a record that the key gets, in ${firstOf(names, 4)}`] : undefined;
    },
  },
  {
    line: 2,
    asks: 'Does a path that does not exist, the base path, or the request without the bypass get the same?',
    reads: 'Refused. Its header fields have to hold nothing that the key gets and those do not.',
    // A rate limit may end both.
    decide: (e) =>
      e.isNothing() && e.status !== 429 && e.ownedInFields() === 0
        ? ['refused', 'the answer that is given where nothing is']
        : undefined,
  },
  {
    line: 3,
    asks: 'Is there no answer, or only 429, 502, 503 or 504?',
    reads:
      'Unclear. Refused if the connection is closed each time while the key gets through, or if it is 502 each time, at missing paths too.',
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
      'It is followed without credentials, and its end is read by this table. Refused if it leads to where a missing path leads, off the deployment without an answer, in a circle, or to another scheme (app://login). Unclear if it may not be followed.',
    decide: () => undefined,
  },
  {
    line: 5,
    asks: 'Is it what the key gets, except for what changes from read to read?',
    reads:
      'Granted if it is a success with something in it that is nowhere else, or if it has two such rows or values at any status. Unclear with less.',
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
    asks: 'Does it have rows of the kind that the key gets, which nobody gets elsewhere?',
    reads:
      'Granted. Unclear if the rest says something else, or if it is not a success and its structure is another one.',
    decide: (e) => {
      if (!e.tableOfKind() || e.background.keyed.rows.length === 0) return undefined;
      return !e.outside().says && (e.success || e.keyedTree(false))
        ? ['granted', 'other rows of the kind that the key gets']
        : ['unclear', 'rows of the kind that the key gets, beside something that the key does not get'];
    },
  },
  {
    line: 7,
    asks: 'Is it not a success (2xx), and is there something in it that may be data?',
    reads: 'Unclear.',
    decide: (e) => {
      if (e.success) return undefined;
      const { keyed } = e.background;
      // The record, or the only row of a list.
      const [only, ...others] = keyed.records;
      const isRecordTree =
        others.length === 0 &&
        only?.shape.type === 'object' &&
        only.shape.members.length >= 3 &&
        e.holdsTree(only.shape);
      const isOneRow = e.fittingRows() > 0 && e.keyedTree(true);
      const mayHoldRows = e.mayHoldRows() || isOneRow;
      if (e.sharesRecordWithRefusals()) return sharedRecord;
      return e.mayCarryRecord() || mayHoldRows || e.owned() > 0 || isRecordTree
        ? ['unclear', 'no success, with something in it that may be data']
        : undefined;
    },
  },
  {
    line: 8,
    asks: 'Is it not a success?',
    reads:
      'Refused. After a server error the request is sent again, unless the request without a key gets that error each time.',
    decide: ({ success, status }) =>
      success
        ? undefined
        : status >= 500
          ? ['refused', 'a server error', { remarkable: true, again: true }]
          : ['refused', ''],
  },
  {
    line: 9,
    asks: 'Does it lack the rows that the key gets?',
    reads:
      'Refused if the rest says something else, or if a path that does not exist gets an answer as empty. Granted if a count of rows follows them and nothing else differs. Else unclear.',
    decide: (e) => {
      const { keyed } = e.background;
      if (keyed.rows.length === 0 || e.foreign || e.broken || !e.listsEmptyOrGone()) return undefined;
      if (e.mayHoldRows() || e.mayCarryRecord()) return ['unclear', 'no rows in their place, and other rows'];
      if (e.owned() > 0) return ['unclear', 'no rows of the keyed kind, and a value that the key gets'];
      if (e.sharesRecordWithRefusals()) return sharedRecord;
      if (e.outside().says) return refusedInBody(e, 'another body, without the rows that the key gets');
      if (e.isCountedEmpty())
        return e.isNothingCountedEmpty()
          ? ['refused', 'as empty as where nothing is', remarkable]
          : ['granted', 'opened, and nothing in it', { isEmpty: true }];
      return ['unclear', 'without the rows that the key gets, and nothing that says why', { isEmpty: true }];
    },
  },
  {
    line: 10,
    asks: 'Does the key’s account have no rows?',
    reads: 'Granted if one list is filled and the rest agrees. Refused if the rest says something else. Else unclear.',
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
    asks: 'Is there anything in it that may be data?',
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
      if (keyed.isRecord && e.holdsNothing()) return ['unclear', 'no value at all', { isEmpty: true }];
      if (
        e.keyedTree(false) &&
        (keyed.isRecord ||
          (own.shape?.type === 'object' && (!e.holdsTable() || e.outside().agrees) && !e.outside().says))
      )
        return ['unclear', 'the members that the key gets, with other values'];
      if (isOfMediaType && (keyed.view === undefined || own.kind === 'html'))
        return ['unclear', 'another body of the same media type, which has no rows to compare'];
      if (keyed.isRecord && !e.foreign && !e.outside().says)
        return ['unclear', 'nothing that the key does not get', { isEmpty: true }];
      if (e.broken && isOfMediaType) return ['unclear', 'a body that breaks off'];
      return undefined;
    },
  },
  {
    line: 12,
    asks: 'Is it any other success?',
    reads: 'Refused, with a remark. Unclear if sibling operations refuse by status.',
    decide: (e) => refusedInBody(e, 'another body than the key gets'),
  },
];
