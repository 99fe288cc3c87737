import dns from 'node:dns';
import net, { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { memoize } from '../collections.js';
import { WireFailure } from './failure.js';
import type { AddressFamily, WireErrorCode } from './types.js';

/** Scheme, host and port of a connection. */
export interface Endpoint {
  readonly scheme: 'https' | 'http';
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** The address family to use; any when absent. */
  readonly family?: AddressFamily;
}

/**
 * Parses an origin. Memoized, since every request needs it and a run has few origins.
 * @throws TypeError for an invalid origin
 */
export const endpointOf = memoize((origin: string): Endpoint => {
  const url = new URL(origin);
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const port = Number(url.port || (scheme === 'https' ? 443 : 80));
  return { scheme, host: url.hostname.replace(/^\[|\]$/g, ''), port };
});

export type HostAndPort = Pick<Endpoint, 'host' | 'port'>;

/** `host:port`, with brackets around IPv6 (RFC 3986, section 3.2.2). */
export const authorityOf = ({ host, port }: HostAndPort): string => `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;

/** Kinds of addresses that are not public. */
type AddressKind = 'this machine' | 'a link-local address' | 'a private network' | 'a reserved address';

const ranges: Readonly<Record<AddressKind, readonly (readonly [address: string, prefix: number])[]>> = {
  'this machine': [
    ['127.0.0.0', 8],
    ['0.0.0.0', 8],
    ['::', 128],
    ['::1', 128],
  ],
  // RFC 3927, RFC 4291. Cloud providers serve a machine's credentials there.
  'a link-local address': [
    ['169.254.0.0', 16],
    ['fe80::', 10],
  ],
  // RFC 1918, RFC 6598 (carriers), RFC 2544 (benchmarks), RFC 4193 and its predecessor.
  'a private network': [
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['100.64.0.0', 10],
    ['192.0.0.0', 24],
    ['198.18.0.0', 15],
    ['fc00::', 7],
    ['fec0::', 10],
  ],
  // Multicast, and addresses that are not assigned.
  'a reserved address': [
    ['224.0.0.0', 3],
    ['ff00::', 8],
  ],
};

const hexOf = (address: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
};

const blockListOf = (kind: AddressKind): BlockList => {
  const list = new BlockList();
  for (const [address, prefix] of ranges[kind]) {
    if (!isIPv4(address)) {
      list.addSubnet(address, prefix, 'ipv6');
      continue;
    }
    // BlockList itself matches the IPv4 address in `::ffff:0:0/96`.
    list.addSubnet(address, prefix, 'ipv4');
    // IPv6 addresses with an embedded IPv4 address: NAT64 (RFC 6052), 6to4 (RFC 3056), and the
    // deprecated compatible form.
    list.addSubnet(`64:ff9b::${hexOf(address)}`, 96 + prefix, 'ipv6');
    list.addSubnet(`2002:${hexOf(address)}::`, 16 + prefix, 'ipv6');
    if (address !== '0.0.0.0') list.addSubnet(`::${hexOf(address)}`, 96 + prefix, 'ipv6');
  }
  return list;
};

const kinds = (Object.keys(ranges) as AddressKind[]).map((kind) => ({ kind, list: blockListOf(kind) }));

/**
 * The kind of an address or of `localhost` (RFC 6761, section 6.3); `undefined` for public
 * addresses and other names.
 */
export const addressKind = (host: string): AddressKind | undefined => {
  if (/(?:^|\.)localhost\.?$/i.test(host)) return 'this machine';
  const [address = ''] = host.split('%', 1);
  const family = isIP(address);
  if (family === 0) return undefined;
  return kinds.find(({ list }) => list.check(address, family === 4 ? 'ipv4' : 'ipv6'))?.kind;
};

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
 * @param fixed addresses that the settings give, which are trusted too
 */
export const createAddressGuard = (named: readonly HostAndPort[] | undefined, fixed: FixedAddresses) => {
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
    named === undefined || [...fixed, ...named].some(({ host, port }) => place.host === host && place.port === port);

  /**
   * Returns allowed addresses only. The connection uses the checked address, whatever the name
   * resolves to later.
   */
  const guardedLookup: LookupFunction = (host, options, callback) => {
    dns.lookup(host, { ...options, all: true }, (error, addresses = []) => {
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

/** Addresses that the settings give for a host, in lower case, and port. */
export type FixedAddresses = readonly (HostAndPort & { readonly address: string })[];

export const fixedAt = (fixed: FixedAddresses, { host, port }: HostAndPort): readonly string[] =>
  fixed.filter((entry) => entry.host === host && entry.port === port).map(({ address }) => address);

export type FamilyEndpoint = HostAndPort & { readonly family: AddressFamily };

/** Milliseconds. A network without a route may drop packets silently. */
export const familyTimeoutMs = 5_000;

/** The connection failed. A later failure (TLS, a reset) shows that the address exists. */
const unreachableCodes: ReadonlySet<WireErrorCode> = new Set(['refused', 'unreachable', 'connect-timeout']);

/** Looks each name up once, and remembers addresses that could not be reached. */
export const createAddressFamilies = (fixed: FixedAddresses) => {
  const addresses = new Map<string, Promise<string>>();
  const failures = new Map<string, WireFailure>();

  const find = async (place: FamilyEndpoint): Promise<string> => {
    const { host, family } = place;
    const named = net.isIP(host) === 0 ? fixedAt(fixed, place) : [host];
    const found =
      named.length > 0
        ? named.find((address) => net.isIP(address) === family)
        : await dns.promises.lookup(host, { family }).then(
            ({ address }) => address,
            () => undefined,
          );
    if (found === undefined) throw noAddress(place, 'it has none');
    return found;
  };

  return {
    /** @throws WireFailure `no-address` */
    addressOf: async (place: FamilyEndpoint): Promise<string> => {
      const name = endpointName(place);
      const before = failures.get(name);
      if (before) throw before;
      const address = addresses.get(name) ?? find(place);
      addresses.set(name, address);
      return address;
    },
    /**
     * Converts a failed connection into `no-address`, and remembers it for the endpoint. Returns
     * other failures unchanged.
     */
    failed: (place: FamilyEndpoint, failure: WireFailure): WireFailure => {
      if (!unreachableCodes.has(failure.code)) return failure;
      const made = noAddress(place, failure.message);
      failures.set(endpointName(place), made);
      return made;
    },
  };
};

const endpointName = ({ host, port, family }: FamilyEndpoint): string => JSON.stringify([host, port, family]);

const noAddress = ({ host, family }: FamilyEndpoint, why: string): WireFailure =>
  new WireFailure('no-address', `${host} has no IPv${family} address that can be reached from here (${why})`);
