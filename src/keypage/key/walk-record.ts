import { withTexts } from '../../collections.js';
import type { KeyPageFound, KeyPageRecord, KeyPageTexts, KeyPageWording } from '../../rules/key-page/record.js';
import type { WalkContext } from '../log-in/walk-context.js';
import { shortestKey } from '../reading/key-candidates.js';
import { showsText, wordingOf } from '../reading/page-wording.js';
import type { InitialState, PageState } from './initial-state.js';
import { isInKeyPlace } from './shown-key.js';

/** The record of a walk, while it is written. */
export type RecordDraft = { -readonly [K in keyof KeyPageRecord]: KeyPageRecord[K] } & { facts: string[] };

export const saidIn = (
  { pieces, whole }: Pick<PageState, 'pieces' | 'whole'>,
  { settings: { emptyText } }: WalkContext,
  wording: KeyPageWording = wordingOf(pieces),
  passing = false,
): KeyPageTexts => ({
  wording,
  whole,
  emptyText: emptyText === undefined ? 'absent' : showsText(pieces, emptyText, passing),
});

/** What a page shows before anything is pressed. */
export const foundIn = (
  { tried, page: { pieces, whole }, wording }: InitialState,
  walking: WalkContext,
): KeyPageFound => ({
  ...(tried.key === undefined ? {} : { key: walking.secrets.label(tried.key.value) }),
  refused: tried.refused.filter(isInKeyPlace).length,
  replaced: 0,
  unknown: tried.unknown,
  ...saidIn({ pieces, whole }, walking, wording, true),
});

/**
 * A run of the signs that keys are made of. Digits are written as `#` where they were normalised.
 */
const runs = /[\w#.~+/|:=-]+/g;

/** Whether a word is ordinary: short, and of letters of one case after the first, or of digits. */
const isOrdinary = (word: string): boolean =>
  word.length < shortestKey &&
  word.split(/[^A-Za-z\d#]+/).every((part) => /^([A-Za-z]?[a-z]*|[A-Z]+|[\d#]+)$/.test(part));

/**
 * Whether a word is all of a text, or of what follows a colon: a value, not a part of a sentence.
 */
const standsAlone = (text: string, at: number, word: string): boolean =>
  /(^|[:：=])\s*$/.test(text.slice(0, at)) && !/[\p{L}\d]/u.test(text.slice(at + word.length));

/** The last text that still has words is quoted. */
const readableLast = (texts: readonly string[]): string[] =>
  texts.toSorted((one, other) => Number(/\p{L}/u.test(one)) - Number(/\p{L}/u.test(other)));

/**
 * Removes from a record what may be an unrecognised key. Of texts that came with the action, it
 * keeps words that the page had before and ordinary words of sentences.
 */
export const withoutNewWords = (record: KeyPageRecord): KeyPageRecord => {
  const { before, action, after } = record;
  if (!action?.pressed || after?.made !== undefined) return record;
  const known = new Set(JSON.stringify([before?.wording, action.name]).match(runs));
  const plain = <T>(value: T, mayStandAlone = false): T =>
    withTexts(value, (text, name) =>
      name === 'emptyText'
        ? text
        : text.replace(runs, (word, at: number) =>
            known.has(word) || (isOrdinary(word) && (mayStandAlone || !standsAlone(text, at, word))) ? word : '…',
          ),
    );
  const { steps, offers, request } = action;
  return {
    ...record,
    action: {
      ...action,
      steps: plain(steps, true),
      ...(offers ? { offers: plain(offers, request === undefined) } : {}),
    },
    ...(after ? { after: { ...plain(after), said: readableLast(plain(after.said)) } } : {}),
  };
};
