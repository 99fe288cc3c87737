import { plainKinds, wordyKinds } from './data.js';
import { envelopeOf } from './envelopes.js';
import { isFlat } from './formats.js';
import type { RefusalName } from './refusals.js';
import type { Service } from './service.js';
import type { Payload, Spec } from './spec.js';

/**
 * A conforming service that answers every request as a faulty one does. Where there is one, nobody
 * can tell the fault: the judge holds the exchanges of both against each other.
 */

/** The refusal that is the same answer as a payload. */
const refusalLike = (spec: Spec): RefusalName | undefined => {
  const { counts, single } = envelopeOf(spec.envelope);
  const { fault, format, kind, rows } = spec;
  if (!fault) return undefined;
  const isWordy = wordyKinds.includes(kind) && !spec.volatility.includes('moving');
  const isWithoutCount =
    !counts || isFlat(format) || (spec.negotiates && ['csvForm', 'htmlForm'].includes(fault.opening));
  const all: Partial<Record<Payload, RefusalName>> = {
    // Without a number of rows, an empty page is an empty list, and a way to hide the rows.
    ...(isWithoutCount ? { emptyPage: 'emptyList' } : {}),
    // The owner has no rows either, and nobody is refused by status where the owner is not.
    ...(rows === 0 ? { state: 'emptyState' } : {}),
    ...(rows === 0 &&
    (fault.status !== 200 ||
      ['everything', 'plain', 'csvForm', 'htmlForm', 'xmlForm', 'callback'].includes(fault.opening))
      ? { full: 'emptyList' }
      : {}),
    // One row may be a notice, and a record that of a guest.
    oneOther: 'notice',
    ...(single ? { others: 'notice' } : {}),
    masked: 'masked',
    plainNull: 'plainNull',
    // Rows of nothing but words may be errors, and a record of them or of limits what a service
    // says of itself.
    ...(isWordy ? { others: 'wordRows' } : {}),
    ...(plainKinds.includes(kind) && rows < 2 ? { state: 'describedPage', inRefusal: 'described' } : {}),
    // Under names that the rows lack, and less what changes, small numbers may be limits.
    ...(plainKinds.includes(kind) && spec.envelope === 'tuples' && spec.volatility.includes('moving')
      ? { inRefusal: 'described' }
      : {}),
  };
  return all[fault.payload];
};

/**
 * What holds nothing that a service could not say of itself: one row of words or limits, or any
 * text of them, in another form than the key gets; a text that is somebody else's.
 */
const isSayable = ({ envelope, fault, format, kind, rows }: Spec): boolean => {
  // An empty list as a script.
  if (fault?.payload === 'script' && rows === 0) return true;
  // Somebody's words in an app or in an error; a record of somebody.
  const isOthers = fault?.payload === 'othersState' || fault?.payload === 'othersString';
  if (isOthers && (wordyKinds.includes(kind) || envelopeOf(envelope).single || format === 'text')) return true;
  // The keyed answer itself is an opening, but for a row of limits in an error.
  if (!fault || (fault.payload === 'full' && fault.status === 200)) return false;
  if (format === 'text' && fault.payload === 'others') return true;
  // Without names somebody else's row cannot be known in an error.
  if ((format === 'text' || envelope === 'tuples') && ['otherInRefusal', 'othersInRefusal'].includes(fault.payload))
    return true;
  return plainKinds.includes(kind) && (rows < 2 || format === 'text');
};

/**
 * A notice may be news, and what refusals show everybody beside rows that are left out may be all
 * that is public there.
 */
export const publicTwinOf = (spec: Spec): Spec | undefined => {
  if (spec.publicAccess === 'noticeRow') return { ...spec, publicAccess: 'newsForAll' };
  if (spec.publicAccess !== 'needsKey') return undefined;
  return spec.refusal === 'body200' && ['news', 'partsRecord'].includes(spec.envelope)
    ? { ...spec, publicAccess: 'frameForAll' }
    : undefined;
};

/** A key that has expired gets the refusal of everybody, and that shows rows. */
export const showsRowsToAll = ({ expired, refusal, envelope }: Spec): boolean =>
  expired && (refusal === 'catalogue' || (refusal === 'body200' && envelope === 'news'));

/** A faulty service of one operation: everybody gets what the holder of the key gets. */
export const openTwinOf = (service: Service): Service => ({
  ...service,
  opens: ({ place, isKeyed }) => place === 'operation' && !isKeyed,
  answer: (ask) => service.answer(ask.place === 'operation' ? { ...ask, isKeyed: true } : ask),
});

export const twinOf = (spec: Spec): Spec | undefined => {
  const { fault, ...others } = spec;
  const refusal = refusalLike(spec);
  if (!fault || (!refusal && !isSayable(spec))) return undefined;
  const { opening, flaky, status, payload } = fault;
  const says = refusal ? undefined : payload;
  return {
    ...others,
    layers: [{ opening, refusal: refusal ?? spec.refusal, says, flaky, status, alone: true }, ...spec.layers],
  };
};
