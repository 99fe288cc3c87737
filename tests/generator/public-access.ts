import { randomOf } from './random.js';

/** What public resources do with the key, and what may stand in the place of their rows. */

/**
 * `ignoresKey`, `moreWithKey`, `ownWithKey`: whose rows the key opens. `atRandom`: each read gets
 * another selection. `marked`: rows have a member that is null without the key. `newsForAll` and
 * `frameForAll`: a notice, or what refusals of the service show everybody, is all that is public.
 */
const keepingAccess = [
  'ignoresKey',
  'moreWithKey',
  'ownWithKey',
  'atRandom',
  'marked',
  'newsForAll',
  'frameForAll',
] as const;

/**
 * `needsKey`: the rows are refused without a key. The others: what a client without one gets in
 * their place.
 */
const withholdingAccess = ['needsKey', 'nullRows', 'maskedRows', 'noticeRow'] as const;

export type PublicAccess = (typeof keepingAccess)[number] | (typeof withholdingAccess)[number];

export const isWithholding = (access: PublicAccess | undefined): boolean =>
  withholdingAccess.some((withholding) => withholding === access);

/** Of a service: what decides which access may be drawn for it. */
interface Drawn {
  readonly seed: string;
  readonly publicAccess?: PublicAccess;
  /** Its public resources are JSON with rows. */
  readonly isOfRows: boolean;
  /** Something else decides whether it is faulty. */
  readonly isDecided: boolean;
}

/** What was thought of later, drawn for itself: the rest of a service stays as it was. */
export const laterAccess = ({ seed, publicAccess, isOfRows, isDecided }: Drawn): PublicAccess | undefined => {
  const random = randomOf(`${seed} public`);
  const mayChange = publicAccess === 'ignoresKey' || publicAccess === 'moreWithKey';
  if (!mayChange || !isOfRows || !random.chance(0.5)) return publicAccess;
  return isDecided || random.chance(0.4)
    ? random.pick(['atRandom', 'marked'])
    : random.pick(['nullRows', 'maskedRows', 'noticeRow']);
};
