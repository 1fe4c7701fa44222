// The pages show content of private repositories and have no login, so they are only available on the
// machine itself.
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';

export interface Caller {
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** `1.1`; nginx forwards requests as `1.0` by default, and no browser uses that. */
  readonly httpVersion: string;
}

/**
 * Whether the request comes from this machine: over loopback, not forwarded by a proxy, and to a
 * loopback name. The name check stops a web page whose own name resolves to this machine.
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

/** Headers of proxies and tunnels. A proxy that adds none can only be recognised by HTTP/1.0. */
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
