import { BlockList, isIP, isIPv4 } from 'node:net';

/** Kinds of addresses that are not public. */
export type AddressKind = 'this machine' | 'a link-local address' | 'a private network' | 'a reserved address';

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

const listOf = (kind: AddressKind): BlockList => {
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

const kinds = (Object.keys(ranges) as AddressKind[]).map((kind) => ({ kind, list: listOf(kind) }));

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
