import { networkInterfaces } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { AllowList } from '../src/egress/allow-list.ts';
import { isPrivateAddress, isPublicAddress } from '../../../src/lib/public-address.ts';

describe('the list of hosts', () => {
  it.each([
    ['example.com', 'example.com', 443, true],
    ['example.com', 'EXAMPLE.com.', 80, true],
    ['example.com', 'example.com', 22, false],
    ['example.com', 'a.example.com', 443, false],
    ['example.com', 'notexample.com', 443, false],
    ['example.com', 'example.com.attacker.example', 443, false],
    ['*.example.com', 'a.b.example.com', 443, true],
    ['*.example.com', 'example.com', 443, false],
    ['*.example.com', 'notexample.com', 443, false],
    ['example.com:8443', 'example.com', 8443, true],
    ['example.com:8443', 'example.com', 443, false],
    ['bücher.example', 'xn--bcher-kva.example', 443, true],
    ['example.com', '', 443, false],
  ])('with %s: may %s:%d be reached? %s', (entry, host, port, expected) => {
    expect(new AllowList([entry]).allows(host, port)).toBe(expected);
    const privately = new AllowList(['any.example.org'], undefined, [entry]);
    expect(privately.allows(host, port)).toBe(expected);
    expect(privately.allowsPrivately(host, port)).toBe(expected);
    expect(privately.allowsPrivately('any.example.org', 443)).toBe(false);
  });

  it.each(['', '*', '*.', 'https://example.com', 'a b', 'a:99999', 'a.*.com', 'me@example.com'])(
    'does not take %j',
    (entry) => {
      expect(() => new AllowList([entry])).toThrow(/is not a host name/);
    },
  );
});

describe('an address', () => {
  it.each(['93.184.215.14', '8.8.8.8', '2606:2800:21f:cb07::1', '172.32.0.1', '100.128.0.1'])(
    'is public: %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each(
    [
      '0.0.0.0 127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1',
      '169.254.169.254 100.64.0.1 100.100.100.200 168.63.129.16 192.0.0.192 198.18.0.1 224.0.0.1',
      '240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1',
      '64:ff9b::7f00:1 64:ff9b:1::1 fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254 ff02::1 2001::1',
      '2001:db8::1 2002:7f00:1:: 3fff::1 100::1 5f00::1 localhost 0177.0.0.1 2130706433 127.1',
    ].flatMap((line) => line.split(' ')),
  )('is not public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    ['10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 fc00::1 fd12::1', true],
    ['127.0.0.1 0.0.0.0 ::1 169.254.169.254 fe80::1 fd12::1%eth0 ::ffff:10.0.0.1', false],
    ['100.100.100.200 fd00:ec2::254 168.63.129.16 224.0.0.1 8.8.8.8 2606:2800::1 nexus', false],
  ])('of a private network, or not: %s', (addresses, expected) => {
    for (const address of addresses.split(' ')) expect(isPrivateAddress(address)).toBe(expected);
  });

  it("of this machine's own is not public, wherever it lies", () => {
    for (const one of Object.values(networkInterfaces()).flat())
      for (const is of [isPublicAddress, isPrivateAddress])
        expect(is(one?.address ?? '')).toBe(false);
  });
});
