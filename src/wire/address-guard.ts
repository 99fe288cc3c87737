import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressKind, addressKind } from './address-kinds.js';
import { WireFailure } from './failure.js';

interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

const privateAddressFailure = (host: string, kind: AddressKind): WireFailure =>
  new WireFailure('unreachable', `${host} is ${kind}, where the target is not: no server's word leads there`);

/**
 * Keeps what a server says from leading to this machine or into its networks: a redirect to
 * 169.254.169.254 is a request made from here. Such an address is gone to only where the settings
 * name it, or the target has one of the same kind.
 * @param named places that the settings name; absent: every place is somebody's own choice
 * @param isFixed whether the settings give the address of a place
 */
export const createAddressGuard = (
  named: readonly HostAndPort[] | undefined,
  isFixed: (place: HostAndPort) => boolean,
) => {
  const ofTarget = new Set<AddressKind>();
  const isTargets = (address: string): void => {
    const kind = addressKind(address);
    if (kind) ofTarget.add(kind);
  };
  for (const { host } of named ?? []) isTargets(host);

  const closed = (address: string): AddressKind | undefined => {
    const kind = addressKind(address);
    return kind === undefined || ofTarget.has(kind) ? undefined : kind;
  };
  const isNamed = (place: HostAndPort): boolean =>
    named === undefined || isFixed(place) || named.some(({ host, port }) => place.host === host && place.port === port);

  /**
   * Gives open addresses alone. What is checked here is connected to, whatever the name means a
   * moment later.
   */
  const guardedLookup: LookupFunction = (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses = []) => {
      if (error) return callback(error, []);
      const open = addresses.filter(({ address }) => closed(address) === undefined);
      const [first] = open;
      if (!first)
        return callback(privateAddressFailure(host, closed(addresses[0]?.address ?? '') ?? 'a reserved address'), []);
      if (options.all) return callback(null, open);
      return callback(null, first.address, first.family);
    });
  };

  return {
    isNamed,
    /** Takes note of an address at which the target showed a good certificate. */
    isTargets,
    lookup: guardedLookup,
    /** @throws WireFailure for a place whose name alone says that nothing leads there */
    check: (place: HostAndPort): void => {
      const kind = isNamed(place) ? undefined : closed(place.host);
      if (kind) throw privateAddressFailure(place.host, kind);
    },
  };
};
