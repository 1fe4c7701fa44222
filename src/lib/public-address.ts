import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Not part of the public Internet, according to IANA's special-purpose address registries. */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Includes the metadata services of clouds, as do the next two.
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['168.63.129.16', 32],
  ['172.16.0.0', 12],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  // Everything except 2000::/3, and the parts of it that map to IPv4 or are for documentation.
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

// Two lists, because a single one treats IPv4 as a part of IPv6.
const specialIpv4 = new BlockList();
const specialIpv6 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) specialIpv4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of SPECIAL_IPV6) specialIpv6.addSubnet(network, prefix, 'ipv6');

/** Whether the address is on the public Internet and not this machine's own. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4') && !isOwn(address);
  // A zone names a local interface, so the address is not public.
  if (!isIPv6(address) || address.includes('%')) return false;
  return !specialIpv6.check(address, 'ipv6') && !isOwn(address);
}

/** Networks that organisations number by themselves. The metadata services of clouds are in none of them. */
const privateIpv4 = new BlockList();
const privateIpv6 = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateIpv4.addSubnet(network, prefix, 'ipv4');
privateIpv6.addSubnet('fc00::', 7, 'ipv6');

/** Clouds answer metadata requests here too, within networks that are otherwise private. */
const METADATA = new Set(['100.100.100.200', 'fd00:ec2::254']);

/** Whether the address is one of a private network, and neither this machine's own nor that of a metadata service. */
export function isPrivateAddress(address: string): boolean {
  if (isOwn(address) || METADATA.has(address)) return false;
  if (isIPv4(address)) return privateIpv4.check(address, 'ipv4');
  return isIPv6(address) && !address.includes('%') && privateIpv6.check(address, 'ipv6');
}

const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((one) => one.address === address),
  );

/** Names that the Internet does not have, besides those of one word. */
const LOCAL = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;

/** Whether a host, with or without `*.` and a port, is not on the public Internet: by its address, or by its name alone. */
export function isPrivateHost(item: string): boolean {
  // Reads an address in any of its spellings, such as `2852039166`.
  const host = URL.parse(`http://${item.replace(/^\*\./, '')}`)?.hostname ?? '';
  return isIP(host) === 0 ? LOCAL.test(host) || !host.includes('.') : !isPublicAddress(host);
}
