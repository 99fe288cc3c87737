import type { KeyPageFound, KeyPageRecord, KeyPageTexts, KeyPageWording } from '../../rules/key-page/record.js';
import type { WalkContext } from '../log-in/walk-context.js';
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
