import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressKind, addressKind } from './address-kinds.js';
import { WireFailure } from './failure.js';

interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

const privateAddressFailure = (host: string, kind: AddressKind): WireFailure =>
  new WireFailure(
    'unreachable',
    `${host} is ${kind} and the target is not, so what a server says is not followed there`,
  );

/**
 * Prevents server-side request forgery by redirects: a server must not send this client to
 * addresses of this machine or its networks, such as 169.254.169.254. Such an address is used only
 * where the settings name it, or where the target has one of the same kind.
 * @param named endpoints that the settings name; when absent, every endpoint is trusted
 * @param isFixed whether the settings give the address of an endpoint
 */
export const createAddressGuard = (
  named: readonly HostAndPort[] | undefined,
  isFixed: (place: HostAndPort) => boolean,
) => {
  const targetKinds = new Set<AddressKind>();
  const addTargetAddress = (address: string): void => {
    const kind = addressKind(address);
    if (kind) targetKinds.add(kind);
  };
  for (const { host } of named ?? []) addTargetAddress(host);

  const forbiddenKind = (address: string): AddressKind | undefined => {
    const kind = addressKind(address);
    return kind === undefined || targetKinds.has(kind) ? undefined : kind;
  };
  const isNamed = (place: HostAndPort): boolean =>
    named === undefined || isFixed(place) || named.some(({ host, port }) => place.host === host && place.port === port);

  /**
   * Returns allowed addresses only. The connection uses the checked address, whatever the name
   * resolves to later.
   */
  const guardedLookup: LookupFunction = (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses = []) => {
      if (error) return callback(error, []);
      const open = addresses.filter(({ address }) => forbiddenKind(address) === undefined);
      const [first] = open;
      if (!first)
        return callback(
          privateAddressFailure(host, forbiddenKind(addresses[0]?.address ?? '') ?? 'a reserved address'),
          [],
        );
      if (options.all) return callback(null, open);
      return callback(null, first.address, first.family);
    });
  };

  return {
    isNamed,
    /** Records an address at which the target showed a valid certificate. */
    addTargetAddress,
    lookup: guardedLookup,
    /** @throws WireFailure for a host that is itself a private address */
    check: (place: HostAndPort): void => {
      const kind = isNamed(place) ? undefined : forbiddenKind(place.host);
      if (kind) throw privateAddressFailure(place.host, kind);
    },
  };
};
