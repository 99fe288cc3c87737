import { lookup } from 'node:dns/promises';
import net from 'node:net';
import { WireFailure } from './failure.js';
import type { AddressFamily, WireErrorCode } from './types.js';

/** Looks up the IPv4 and the IPv6 address of a host. */

/** Addresses that the settings give for a host and port. */
type FixedAddresses = readonly { readonly host: string; readonly port: number; readonly address: string }[];

export interface FamilyEndpoint {
  readonly host: string;
  readonly port: number;
  readonly family: AddressFamily;
}

/** Milliseconds. A network without a route may drop packets silently. */
export const familyTimeoutMs = 5_000;

/** The connection failed. A later failure (TLS, a reset) shows that the address exists. */
const unreachableCodes: ReadonlySet<WireErrorCode> = new Set(['refused', 'unreachable', 'connect-timeout']);

/** Looks each name up once, and remembers addresses that could not be reached. */
export class AddressFamilies {
  readonly #resolve: FixedAddresses;
  readonly #addresses = new Map<string, Promise<string>>();
  readonly #failures = new Map<string, WireFailure>();

  constructor({ resolve }: { readonly resolve: FixedAddresses }) {
    this.#resolve = resolve;
  }

  /** @throws WireFailure `no-address` */
  async addressOf(place: FamilyEndpoint): Promise<string> {
    const name = nameOf(place);
    const before = this.#failures.get(name);
    if (before) throw before;
    const address = this.#addresses.get(name) ?? this.#find(place);
    this.#addresses.set(name, address);
    return address;
  }

  /**
   * Converts a failed connection into `no-address`, and remembers it for the endpoint. Returns
   * other failures unchanged.
   */
  failed(place: FamilyEndpoint, failure: WireFailure): WireFailure {
    if (!unreachableCodes.has(failure.code)) return failure;
    const made = noAddress(place, failure.message);
    this.#failures.set(nameOf(place), made);
    return made;
  }

  async #find(place: FamilyEndpoint): Promise<string> {
    const { host, port, family } = place;
    const fixed = this.#resolve.filter((entry) => entry.host.toLowerCase() === host && entry.port === port);
    const named = net.isIP(host) === 0 ? fixed.map(({ address }) => address.replace(/^\[|\]$/g, '')) : [host];
    const found =
      named.length > 0
        ? named.find((address) => net.isIP(address) === family)
        : await lookup(host, { family }).then(
            ({ address }) => address,
            () => undefined,
          );
    if (found === undefined) throw noAddress(place, 'it has none');
    return found;
  }
}

const nameOf = ({ host, port, family }: FamilyEndpoint): string => JSON.stringify([host, port, family]);

const noAddress = ({ host, family }: FamilyEndpoint, why: string): WireFailure =>
  new WireFailure('no-address', `${host} has no IPv${family} address that can be reached from here (${why})`);
