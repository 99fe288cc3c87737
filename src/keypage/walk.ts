import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from '@playwright/test';
import { findAction, offersAction } from './action.js';
import { type Candidate, withoutKeys } from './candidates.js';
import { type KeyPageInput, type KeyPageSettings, KeyPageTrouble } from './input.js';
import { enter } from './login.js';
import { saysNoKey, showsText, statementsOf } from './message.js';
import { cookieFact, documentFacts, plainHttpFact } from './observe.js';
import { press } from './press.js';
import type { Piece } from './read-page.js';
import type { Again, KeyPageRecord } from './record.js';
import { pictureOf } from './screenshot.js';
import type { Secrets } from './secrets.js';
import { keysOn, lookFor, reveal, type Tried, tryKeys } from './shown-key.js';
import { Visit } from './visit.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface Walked {
  readonly record: KeyPageRecord;
  /** PNG of the page where the walk ended, keys blacked out. */
  readonly picture?: Buffer | undefined;
}

export interface Walking {
  readonly browser: Browser;
  readonly settings: KeyPageSettings;
  readonly secrets: Secrets;
  readonly patienceMs: number;
}

interface Look {
  readonly pieces: readonly Piece[];
  readonly candidates: readonly Candidate[];
}

/** Reads the page once it has something that a key page has, or patience is at its end. */
const look = async (visit: Visit, { settings, patienceMs }: Walking): Promise<Look> => {
  const end = Date.now() + patienceMs;
  for (;;) {
    const pieces = await visit.read();
    const candidates = await keysOn(visit, pieces, settings.keySelector);
    const ready =
      candidates.length > 0 ||
      statementsOf(pieces).some(saysNoKey) ||
      (await offersAction(visit, settings.action).catch(() => false));
    if (ready || Date.now() >= end) return { pieces, candidates };
    await pause(150);
    await visit.settle();
  }
};

const textsOf = (pieces: readonly Piece[]): string =>
  [...new Set(pieces.flatMap(({ text, visible }) => (visible ? [withoutKeys(text).replace(/\d+/g, '#')] : [])))]
    .sort()
    .join('\n');

interface Before {
  readonly tried: Tried;
  readonly look: Look;
  readonly statements: readonly string[];
}

/** The page as it is found: which shown text is a key, and, where none is, what the page says twice. */
const findBefore = async (visit: Visit, walking: Walking): Promise<Before> => {
  const { settings, secrets } = walking;
  const first = await look(visit, walking);
  const tried = await tryKeys(first.candidates, secrets);
  if (tried.key) return { tried, look: first, statements: statementsOf(first.pieces) };
  if (await reveal(visit)) {
    const uncovered = await look(visit, walking);
    const known = first.candidates.map(({ value }) => value);
    const more = await tryKeys(
      uncovered.candidates.filter(({ value }) => !known.includes(value)),
      secrets,
    );
    if (more.key) return { tried: more, look: uncovered, statements: statementsOf(uncovered.pieces) };
  }
  await visit.load(settings.url);
  const second = await look(visit, walking);
  const known = first.candidates.map(({ value }) => value);
  const late = await tryKeys(
    second.candidates.filter(({ value }) => !known.includes(value)),
    secrets,
  );
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

/** Whether the page, just loaded, shows a key; a page that does not is loaded once more before anything is said. */
const again = async (visit: Visit, walking: Walking, key: string, known: readonly string[]): Promise<Again> => {
  const { settings, patienceMs, secrets } = walking;
  const options = { selector: settings.keySelector, patienceMs };
  const seen = await lookFor(visit, key, options);
  if (seen.shows === 'shown') return { shows: 'shown' };
  await visit.load(settings.url);
  const second = await lookFor(visit, key, options);
  if (second.shows === 'shown') return { shows: 'unsteady' };
  const others = [...seen.others, ...second.others].filter(({ value, visible }) => visible && !known.includes(value));
  if (others.length === 0) return { shows: second.shows };
  const tried = await tryKeys(others, secrets);
  return { shows: second.shows, instead: tried.key ? 'granted' : tried.unknown ? 'unknown' : 'refused' };
};

const inNewLogIn = async (walking: Walking, key: string, known: readonly string[]): Promise<Again> => {
  const visit = await Visit.open(walking.browser, walking.settings, walking.secrets);
  try {
    await enter(visit, walking.settings);
    return await again(visit, walking, key, known);
  } catch (error) {
    if (error instanceof KeyPageTrouble) return { shows: 'unseen', trouble: error.message };
    throw error;
  } finally {
    await visit.close();
  }
};

/** Walks through the key page as its user would, and records what is to be seen. Never throws for what a page does. */
export const walk = async (walking: Walking, input: KeyPageInput): Promise<Walked> => {
  const { settings, secrets } = walking;
  const facts: string[] = [];
  const record: Mutable<KeyPageRecord> = {
    asked: { generate: settings.generate, emptyText: settings.emptyText !== undefined },
    facts,
  };
  const emptyText = ({ pieces }: Look): boolean =>
    settings.emptyText !== undefined && showsText(pieces, settings.emptyText);
  let visit: Visit | undefined;
  let picture: Buffer | undefined;
  try {
    visit = await Visit.open(walking.browser, settings, secrets);
    await enter(visit, settings);
    const plain = plainHttpFact(settings.url);
    const before = await findBefore(visit, walking);
    const oldKey = before.tried.key?.value;
    record.before = {
      ...(oldKey === undefined ? {} : { key: secrets.label(oldKey) }),
      refused: before.tried.refused.length,
      unknown: before.tried.unknown,
      statements: before.statements,
      emptyText: emptyText(before.look),
    };
    facts.push(...[await plain, await cookieFact(visit)].flatMap((fact) => fact ?? []));

    const known = before.look.candidates.map(({ value }) => value);
    let made: string | undefined;
    if (settings.generate) {
      const found = await findAction(visit, settings.action);
      if (found.control === undefined) record.action = { pressed: false, trouble: found.why, steps: [] };
      else {
        const pressed = await press(visit, found.control, walking, known);
        record.action = pressed.action;
        made = pressed.tried.key?.value;
        const after = {
          ...(made === undefined ? {} : { made: secrets.label(made) }),
          refused: pressed.tried.refused.length,
          unknown: pressed.tried.unknown,
        };
        record.after = after;
        await visit.load(settings.url);
        const later = await look(visit, walking);
        record.after = {
          ...after,
          reloaded: {
            unchanged: textsOf(later.pieces) === textsOf(before.look.pieces),
            statements: statementsOf(later.pieces),
            emptyText: emptyText(later),
          },
        };
        if (oldKey !== undefined && made !== undefined) record.oldKey = await secrets.opens(oldKey);
      }
    } else await visit.load(settings.url);

    facts.push(...(await documentFacts(visit.document)));
    const current = made ?? oldKey;
    if (current !== undefined) {
      record.reloaded = await again(visit, walking, current, known);
      record.loggedInAgain = await inNewLogIn(walking, current, known);
    }
    for (const host of new Set(visit.leaks))
      facts.push(`The page tried to send a password or a key to ${host}; the suite stopped it.`);
  } catch (error) {
    if (input.signal?.aborted) record.trouble = 'The run was stopped.';
    else if (error instanceof KeyPageTrouble) record.trouble = error.message;
    else record.trouble = `The browser could not go on: ${String(error).split('\n')[0]}`;
  } finally {
    if (visit && input.screenshotsDir !== undefined) picture = await pictureOf(visit.page, secrets.all());
    await visit?.close();
  }
  return { record, picture };
};
