import { lazy } from '../../collections.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import type { Ask } from '../rule.js';
import { isAnswerTo } from './follow-up.js';

/**
 * Bundles: one request that changes several things together. Each change is sent alone only where
 * the bundle makes a difference, to find the one that does.
 */

interface Bundled<T> {
  readonly probe: Probe;
  /** Requests that its answer is compared with. */
  readonly baseline?: readonly Probe[];
  /** The same request with one change each. Made when needed, which most are not. */
  readonly parts?: () => readonly T[];
}

interface BundleComparison<T> {
  /** The request without these changes. */
  readonly plainOf: (one: T) => Probe;
  /** The request with them. Default: the bundle's own. */
  readonly probeOf?: (one: T) => Probe;
  /** Whether two answers mean the same although they are not equal. */
  readonly isAlike?: (plain: Response, answer: Response) => boolean;
}

export interface InBattery {
  readonly words: string;
  /** Its name in the battery. Default: the words. */
  readonly trick?: string;
  readonly isPart?: true;
}

export const trickOf = ({ trick, words }: InBattery): string => trick ?? words;

const betweenNames = ' → ';

/** The trick, and for a part of a bundle which part. */
export const nameOfPart = (one: InBattery): string =>
  one.isPart && one.words !== trickOf(one) ? `${trickOf(one)}${betweenNames}${one.words}` : trickOf(one);

/** The trick in a name that `nameOfPart` made. */
export const trickOfPart = (name: string): string => name.split(betweenNames, 1)[0] ?? name;

/** The requests that a slice names: whole tricks, and single parts of bundles. */
export const chosenBy = <T extends InBattery & { readonly parts?: () => readonly T[] }>(
  all: readonly T[],
  slice: { readonly has: (trick: string) => boolean } | undefined,
): readonly T[] =>
  slice
    ? all.flatMap((one) =>
        slice.has(trickOf(one)) ? [one] : (one.parts?.() ?? []).filter((part) => slice.has(nameOfPart(part))),
      )
    : all;

/** A request that makes several changes, with those that make one of them. They share its name. */
export const bundled = <T extends InBattery>(
  bundle: T,
  parts: () => readonly T[],
): T & { readonly parts: () => readonly T[] } => ({
  ...bundle,
  parts: lazy(() => parts().map((part) => ({ ...part, trick: trickOf(bundle), isPart: true }))),
});

export const changedParts = <T>(
  { parts }: { readonly parts?: () => readonly T[] },
  change: (part: T) => T,
): { readonly parts?: () => readonly T[] } => (parts ? { parts: lazy(() => parts().map(change)) } : {});

/** Sends all requests, and returns the bundles that make a difference. */
export const differingBundles = <T extends Bundled<T>>(
  ask: Ask,
  all: readonly T[],
  { plainOf, probeOf = ({ probe }) => probe, isAlike = () => false }: BundleComparison<T>,
): ReadonlySet<T> => {
  const makesNoDifference = (bundle: T, exchange: Exchange): boolean => {
    const plain = ask(plainOf(bundle));
    const [without, answer] = [plain, exchange].map(answerOf);
    if (!without || !answer) return without === answer;
    return answer.status === 429 || isAlike(without, answer) || isAnswerTo(ask, plain, answer);
  };
  ask.all(all.flatMap((one) => [probeOf(one), ...(one.baseline ?? []), ...(one.parts ? [plainOf(one)] : [])]));
  return new Set(all.filter((one) => one.parts !== undefined && !makesNoDifference(one, ask(probeOf(one)))));
};

/** Puts the parts of bundles that make a difference before them. */
export const withParts = <T extends Bundled<T>>(all: readonly T[], differing: ReadonlySet<T>): readonly T[] =>
  all.flatMap((one) => (differing.has(one) ? [...(one.parts?.() ?? []), one] : [one]));

/** Leaves out the bundles of which a part opened alone. */
export const withoutBundles = <T, B extends Bundled<B>>(opened: readonly T[], of: (one: T) => B): readonly T[] => {
  const seen = new Set(opened.map(of));
  return opened.filter((one) => !(of(one).parts?.() ?? []).some((part) => seen.has(part)));
};
