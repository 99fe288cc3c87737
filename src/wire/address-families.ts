import { lookup } from 'node:dns/promises';
import net from 'node:net';
import type { DialOptions, Endpoint } from './connect.js';
import { WireFailure } from './failure.js';
import type { AddressFamily, WireErrorCode } from './types.js';

/** The IPv4 and the IPv6 address of a host, where it has one that can be reached from here. */

export interface FamilyEndpoint extends Pick<Endpoint, 'host' | 'port'> {
  readonly family: AddressFamily;
}

/** Milliseconds: a network without a route to a family may swallow what is sent there. */
export const familyTimeoutMs = 5_000;

/** No connection came about. What fails after it (TLS, a reset) is an answer of the address. */
const unreachableCodes: ReadonlySet<WireErrorCode> = new Set(['refused', 'unreachable', 'connect-timeout']);

/** Each name is looked up once, and an address that could not be reached is not tried again. */
export class AddressFamilies {
  readonly #resolve: DialOptions['resolve'];
  readonly #addresses = new Map<string, Promise<string>>();
  readonly #failures = new Map<string, WireFailure>();

  constructor({ resolve }: Pick<DialOptions, 'resolve'>) {
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

  /** The failure as it counts for this place, and from now on. */
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
