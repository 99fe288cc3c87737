import type { Probe } from '../../wire/types.js';
import type { OperationSubject } from '../rule.js';
import { missingOf, requestFor } from '../support/requests.js';
import { type IdSource, idIn, madeUp } from './id-source.js';
import type { Trespass } from './peers.js';

/** Requests with the key of a peer for what belongs to another identity. */

/**
 * The documented request with the owner's values, and one to a path that does not exist.
 * @param asked the operation as the peer asks for it
 */
export const trespassRequests = (
  asked: OperationSubject,
  { owner, peer }: Trespass,
): { readonly plain: Probe; readonly missing: Probe } => {
  const name = `what is of ${owner.identity.name}, with the key of ${peer.name}`;
  const plain = requestFor(asked, { name, credential: 'valid' });
  return { plain, missing: missingOf(asked, { ...plain, name: 'a path that does not exist, with the key' }) };
};

/**
 * The owner's id below the peer's own values, where the path has several: a tenant of the peer and
 * an item of the owner.
 */
const belowPeers = (plain: Probe, { owner, peer }: Trespass, id: string): Probe | undefined => {
  const target = (peer.values ?? []).reduce((filled, { of, placeholder }) => {
    const theirs = owner.identity.values?.find((value) => value.of === of)?.placeholder ?? of;
    return theirs === id ? filled : filled.replaceAll(theirs, placeholder);
  }, plain.target);
  return target === plain.target
    ? undefined
    : { ...plain, name: `${plain.name}, below what is of ${peer.name}`, target };
};

interface IdRequests {
  /** An id of that form that names nothing. */
  readonly noId: Probe;
  /** The id in upper case; none of a number or an account. */
  readonly upper?: Probe | undefined;
  /** The id below other values of the peer, where the path has some. */
  readonly below?: Probe | undefined;
}

/** The same request with other values in place of the owner's. */
export const idRequests = (asked: OperationSubject, trespass: Trespass, source: IdSource): IdRequests => {
  const { plain } = trespassRequests(asked, trespass);
  const { placeholder } = source;
  const id = idIn(source);
  const withId = (name: string, value: string): Probe => ({
    ...plain,
    name,
    target: plain.target.replaceAll(placeholder, value),
  });
  return {
    noId: withId(
      `an id that names nothing, with the key of ${trespass.peer.name}`,
      madeUp(id, asked, trespass.owner.identity),
    ),
    upper:
      id === undefined || id.form === 'number'
        ? undefined
        : withId(`${plain.name}, the id in upper case`, placeholder.replace('>', ':upper>')),
    below: belowPeers(plain, trespass, placeholder),
  };
};
