import { isIP } from 'node:net';
import { isPublicAddress } from '../../lib/public-address.ts';

/** Names that the Internet does not have, besides those of one word. */
const LOCAL = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;

/** Whether a host, with or without `*.` and a port, is one that the egress proxy never connects to. */
export function isPrivateHost(item: string): boolean {
  // Reads an address in any of its spellings, such as `2852039166`.
  const host = URL.parse(`http://${item.replace(/^\*\./, '')}`)?.hostname ?? '';
  return isIP(host) === 0 ? LOCAL.test(host) || !host.includes('.') : !isPublicAddress(host);
}

export const PRIVATE_HOST =
  'has an address or a name of a private network, such as `169.254.169.254`, which commands never reach: name public hosts';
