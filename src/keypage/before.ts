import { setTimeout as pause } from 'node:timers/promises';
import { offersAction } from './action.js';
import type { Candidate } from './candidates.js';
import { saysNoKey, statementsOf } from './message.js';
import type { Piece } from './read-page.js';
import { keysOn, likelyKey, reveal, type Tried, tryKeys } from './shown-key.js';
import type { Visit } from './visit.js';
import type { Walking } from './walking.js';

export interface Look {
  readonly pieces: readonly Piece[];
  readonly candidates: readonly Candidate[];
}

/** Reads the page once it has something that a key page has, or patience is at its end. */
export const look = async (visit: Visit, { settings, patienceMs }: Walking): Promise<Look> => {
  const end = Date.now() + patienceMs;
  for (;;) {
    const pieces = await visit.read();
    const candidates = await keysOn(visit, pieces, settings.keySelector);
    const ready =
      candidates.some(({ score }) => score >= likelyKey) ||
      statementsOf(pieces).some(saysNoKey) ||
      (await offersAction(visit, settings.action).catch(() => false));
    await pause(150);
    await visit.settle();
    if (ready || Date.now() >= end) {
      // What made the page ready may have come after it was read, and its texts with it.
      const whole = await visit.read();
      return { pieces: whole, candidates: await keysOn(visit, whole, settings.keySelector) };
    }
  }
};

export interface Before {
  readonly tried: Tried;
  /** The last look; its candidates are those of all looks. */
  readonly look: Look;
  /** Texts that could be the message, the same in both looks. */
  readonly statements: readonly string[];
}

const without = (candidates: readonly Candidate[], known: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ value }) => known.every((each) => each.value !== value));

/** The page as it is found: which shown text is a key, and, where none is, what the page says twice. */
export const findBefore = async (visit: Visit, walking: Walking): Promise<Before> => {
  const { settings, secrets } = walking;
  const first = await look(visit, walking);
  const tried = await tryKeys(first.candidates, secrets);
  if (tried.key) return { tried, look: first, statements: statementsOf(first.pieces) };
  if (await reveal(visit)) {
    const uncovered = await look(visit, walking);
    const more = await tryKeys(without(uncovered.candidates, first.candidates), secrets);
    if (more.key) return { tried: more, look: uncovered, statements: statementsOf(uncovered.pieces) };
  }
  await visit.load(settings.url);
  const second = await look(visit, walking);
  const late = await tryKeys(without(second.candidates, first.candidates), secrets);
  const stable = statementsOf(second.pieces);
  return {
    tried: {
      key: late.key,
      refused: [...tried.refused, ...late.refused],
      unknown: tried.unknown || late.unknown,
    },
    look: { pieces: second.pieces, candidates: [...first.candidates, ...second.candidates] },
    statements: statementsOf(first.pieces).filter((text) => stable.includes(text)),
  };
};
