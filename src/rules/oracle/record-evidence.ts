import { lazy } from '../../collections.js';
import type { Response } from '../../wire/types.js';
import { isSuccess } from './answers.js';
import { type Background, type ComparedAnswer, givenToAnybody, type Open } from './background.js';
import { bodyOfFields, digestsIn, fieldsIn } from './contents.js';
import type { Keyed } from './keyed.js';
import { ownedIn } from './owned-values.js';
import { carriesRecord, repeatsRow } from './records.js';
import { isPerhapsEmptyList } from './view.js';

/** What an answer shows by the key, and by records and values of its owner. */
export const recordEvidenceOf = ({ seen, background }: ComparedAnswer) => {
  const { keyed, nothing, publics, refusals } = background;
  const { shape: body } = seen;
  const { open, openBesideRefusals } = givenToAnybody(background);
  const ownedInFields = lazy(() => {
    const fields = fieldsIn(seen);
    return fields ? ownedIn(keyed, fields, open.hasInFields) : 0;
  });
  return {
    /**
     * The answer holds the key itself, although it was not sent and no public answer or answer that
     * opens nothing holds it.
     */
    givesKey: () => seen.givesKey === true && ![...nothing, ...publics].some((one) => one.givesKey),
    carriesRecord: () =>
      !isPerhapsEmptyList(keyed.first.shape) && carriesRecord(background, body, open, !isSuccess(seen)),
    /** The same, with small values and those without a format, which a refusal may hold too. */
    mayCarryRecord: () => carriesRecord(background, body, open) || repeatsRow(keyed, body, open.rows()),
    /** Names of the fields that together carry a record. */
    fieldsWithRecord: () => (carriesInFields(background, seen, open) ? namesOfFields(keyed, seen, open) : []),
    /**
     * The answer has a record that refusals of other operations have too. It is the owner's in all
     * of them, or everybody's.
     */
    sharesRecordWithRefusals: lazy(
      () =>
        refusals.length > 0 &&
        (carriesRecord(background, body, openBesideRefusals, true) ||
          carriesInFields(background, seen, openBesideRefusals) ||
          // Without a structure, nothing tells which values are of one record.
          (keyed.view === undefined && ownedIn(keyed, body, openBesideRefusals.has) >= 2)),
    ),
    /** Number of owned values in the body and in the fields. */
    owned: lazy(() => ownedIn(keyed, body, open.has) + ownedInFields()),
    ownedInFields,
  };
};

const carriesInFields = (background: Background, seen: Response, open: Open): boolean => {
  const fields = fieldsIn(seen);
  return fields !== undefined && carriesRecord(background, fields, { ...open, has: open.hasInFields }, true);
};

/** Names of the fields with values of the keyed answer that are not open. */
const namesOfFields = ({ first }: Keyed, { fields = [] }: Response, open: Open): readonly string[] => {
  const isShared = (digest: string): boolean => digestsIn(first.shape).has(digest) && !open.hasInFields(digest);
  const sharing = fields.filter((field) => [...digestsIn(bodyOfFields([field]))].some(isShared));
  return [...new Set(sharing.map(({ name }) => name))];
};
