// The pages show what was said and done in private repositories, and nobody logs in: so they answer
// on the machine itself only.
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';

export interface Caller {
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** `1.1`; nginx passes requests on as `1.0` unless told otherwise, and no browser speaks that. */
  readonly httpVersion: string;
}

/**
 * Whether somebody on this machine asks: over loopback, not passed on by a proxy, and by a loopback
 * name. The name keeps out a web page whose own name was made to resolve to this machine.
 */
export function isFromThisMachine({ remoteAddress, headers, httpVersion }: Caller): boolean {
  return (
    httpVersion !== '1.0' &&
    remoteAddress !== undefined &&
    isLoopbackAddress(remoteAddress) &&
    !Object.keys(headers).some(isForwarding) &&
    isLoopbackName(headers.host ?? '')
  );
}

/** What proxies and tunnels add. One that adds nothing is told apart only by its HTTP/1.0. */
const FORWARDING =
  /^(forwarded|via|true-client-ip|x-(real|client|cluster-client)-ip|x-forwarded.*|cf-.*|fly-.*|fastly-.*)$/;
const isForwarding = (header: string): boolean => FORWARDING.test(header);

function isLoopbackAddress(address: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  if (isIPv4(address)) return loopback.check(address, 'ipv4');
  return isIPv6(address) && loopback.check(address, 'ipv6');
}

function isLoopbackName(host: string): boolean {
  const name = /^(?:\[(?<six>[\da-f:.]+)\]|(?<name>[^:[\]]+))(?::\d{1,5})?$/i.exec(host)?.groups;
  if (name?.['six'] !== undefined) return isLoopbackAddress(name['six']);
  const plain = name?.['name']?.toLowerCase() ?? '';
  return plain === 'localhost' || isLoopbackAddress(plain);
}
