import { describe, expect, it } from '@jest/globals';
import { seccompFilter } from '../src/seccomp/filter.ts';
import { AUDIT_ARCHITECTURE, syscallNumber } from '../src/seccomp/filter.ts';
import type { Architecture, Syscall } from '../src/seccomp/filter.ts';

const ALLOW = 'allow';

/** Runs the program as the kernel does, on one system call. */
function decide(
  program: Buffer,
  architecture: number,
  number: number,
  args: bigint[] = [],
): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [index, value] of args.entries())
    data.writeBigUInt64LE(BigInt.asUintN(64, value), 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, k] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
    const skip = (holds: boolean): number => 8 * program.readUInt8(at + (holds ? 2 : 3));
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x15) at += skip(accumulator === k);
    else if (code === 0x25) at += skip(accumulator > k);
    else if (code === 0x45) at += skip((accumulator & k) !== 0);
    else if (code === 0x06) return verdict(k);
    else throw new Error(`code ${code}`);
  }
  throw new Error('The program ran out of its end.');
}

const verdict = (k: number): string =>
  k === 0x7fff0000 ? ALLOW : k >= 0x80000000 ? 'kill' : `errno ${k & 0xffff}`;

describe.each<Architecture>(['x64', 'arm64'])(
  'the filter of system calls on %s',
  (architecture) => {
    const program = seccompFilter(architecture);
    const own = AUDIT_ARCHITECTURE[architecture];
    const call = (name: Syscall, ...args: bigint[]): string =>
      decide(program, own, syscallNumber(name, architecture) ?? -1, args);

    it.each<[Syscall, bigint[], string]>([
      ['socket', [1n, 1n, 0n], ALLOW],
      ['socket', [2n, 1n, 6n], ALLOW],
      ['socket', [10n, 2n, 17n], ALLOW],
      ['socket', [2n, 5n, 132n], 'errno 93'],
      ['socket', [16n, 3n, 0n], ALLOW],
      ['socket', [16n, 3n, 9n], 'errno 93'],
      ['socket', [40n, 1n, 0n], 'errno 97'],
      ['socket', [38n, 5n, 0n], 'errno 97'],
      ['socket', [0xff00000028n, 1n, 0n], 'errno 97'],
      ['socketpair', [1n], ALLOW],
      ['socketpair', [30n], 'errno 97'],
      ['ioctl', [0n, 0x5401n], ALLOW],
      ['ioctl', [0n, 0x5412n], 'errno 1'],
      ['ioctl', [0n, 0xffffffff00005412n], 'errno 1'],
      ['clone', [0x3d0f00n], ALLOW],
      ['clone', [0x10000011n], 'errno 1'],
      ['clone', [0x40000011n], 'errno 1'],
      ['clone3', [], 'errno 38'],
      ['unshare', [0x400n], ALLOW],
      ['unshare', [0x80n], 'errno 1'],
      ['unshare', [0x20000n], 'errno 1'],
      ['shmget', [0n, 56n], ALLOW],
      ['shmget', [0n, 65_537n], 'errno 12'],
      ['shmget', [0n, 0x100000000n], 'errno 12'],
      ['personality', [0xffffffffn], ALLOW],
      ['personality', [0x0400000n], 'errno 1'],
      ['io_uring_setup', [], 'errno 38'],
      ['memfd_create', [], 'errno 38'],
      ['ptrace', [], 'errno 1'],
      ['mount', [], 'errno 1'],
      ['keyctl', [], 'errno 1'],
      ['bpf', [], 'errno 1'],
    ])('answers %s %j with: %s', (name, args, expected) => {
      expect(call(name, ...args)).toBe(expected);
    });

    it('lets ordinary calls pass', () => {
      const ordinary =
        architecture === 'x64' ? [0, 1, 2, 9, 59, 61, 231] : [56, 63, 64, 221, 222, 260];
      for (const number of ordinary) expect(decide(program, own, number)).toBe(ALLOW);
    });

    it('answers unknown calls, and those of x32, as nonexistent', () => {
      for (const number of [453, 600, 0x40000001, 0x40000029, 0xffffffff])
        expect(decide(program, own, number)).toBe('errno 38');
    });

    it('ends a process that calls in the way of another architecture', () => {
      const all = [0x40000003, 0x40000028, 0, ...Object.values(AUDIT_ARCHITECTURE)];
      for (const other of all.filter((one) => one !== own))
        expect(decide(program, other, 1)).toBe('kill');
    });
  },
);
