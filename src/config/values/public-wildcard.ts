import { parse } from 'tldts';
import { isIP } from 'node:net';
import { isPrivateAddress, isPublicAddress } from '../../lib/public-address.ts';

/** The list has names of theirs on several levels, by service and region, and not those between. */
const CLOUDS =
  /(?:^|\.)(?:amazonaws\.com(?:\.cn)?|azure\.com|googleapis\.com|on\.aws|windows\.net)$/;

/** Whether `*.` stands before a name below which anyone can have a host, such as `*.com`. */
export function isPublicWildcard(item: string): boolean {
  if (!item.startsWith('*.')) return false;
  const name = item.slice(2).toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  if (/(?:^|\.)\d+$/.test(name)) return true;
  const { publicSuffix, isPrivate } = suffixOf(name);
  const isBetween = CLOUDS.test(name) && isPrivate !== true;
  // Some suffixes are any name below this one.
  return publicSuffix === name || isBetween || suffixOf(`any.${name}`).domain === null;
}

/** By the public suffix list, with the names that their owners have entered there. */
const suffixOf = (name: string): ReturnType<typeof parse> =>
  parse(name, { allowPrivateDomains: true });

export const PUBLIC_WILDCARD =
  'has a `*.` before a name below which anyone can have a host, such as `*.com`: name the hosts that you mean';

export const PRIVATE_HOST =
  'has an address or a name of a private network, such as `169.254.169.254`, which commands never reach: name public hosts';

/** Whether a host is one that the egress proxy connects to under no setting: this machine, or a service of its cloud. */
export function isOwnHost(item: string): boolean {
  const host = URL.parse(`http://${item}`)?.hostname ?? '';
  if (isIP(host) === 0) return /(?:^|\.)localhost$/.test(host);
  return !isPublicAddress(host) && !isPrivateAddress(host);
}
