// The profiles for containers in which commands run. seccomp.json is a filter of the kernel around the service: bubblewrap takes the
// place of the container engine, which would do the same with it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { AUDIT_ARCHITECTURE, syscallNumber, type Syscall } from '../src/seccomp/filter.ts';
import { USERS, whyNot } from './support.ts';

const Profile = z.strictObject({
  defaultAction: z.literal('SCMP_ACT_ALLOW'),
  syscalls: z.array(
    z.strictObject({
      comment: z.string(),
      names: z.array(z.string()),
      action: z.literal('SCMP_ACT_ERRNO'),
      errnoRet: z.int(),
    }),
  ),
});
const profile = Profile.parse(JSON.parse(readFileSync('seccomp.json', 'utf8')));
const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
/** Calls that the filter of the sandbox passes, by their numbers on x86_64 and aarch64. */
const OTHERS: Readonly<Record<string, readonly [x64: number, arm64: number | undefined]>> = {
  _sysctl: [156, undefined],
  create_module: [174, undefined],
  get_mempolicy: [239, 236],
  mbind: [237, 235],
  process_madvise: [440, 440],
  query_module: [178, undefined],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  setdomainname: [171, 162],
  sysfs: [139, undefined],
};

const numberOf = (name: string): number | undefined =>
  OTHERS[name]?.[architecture === 'x64' ? 0 : 1] ??
  (name in OTHERS ? undefined : syscallNumber(name as Syscall, architecture));

/** As an engine makes it of the profile: for calls of the machine's own kind, and none of others. */
function filterFile(): string {
  const rows: [code: number, ifTrue: number, ifFalse: number, value: number][] = [
    [0x20, 0, 0, 4],
    [0x15, 1, 0, AUDIT_ARCHITECTURE[architecture]],
    [0x06, 0, 0, 0x80000000],
    [0x20, 0, 0, 0],
  ];
  for (const { names, errnoRet } of profile.syscalls)
    for (const number of names.map(numberOf))
      if (number !== undefined)
        rows.push([0x15, 0, 1, number], [0x06, 0, 0, 0x00050000 | errnoRet]);
  rows.push([0x06, 0, 0, 0x7fff0000]);
  const bytes = Buffer.alloc(8 * rows.length);
  for (const [index, [code, ifTrue, ifFalse, value]] of rows.entries()) {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    bytes.writeUInt32LE(value, 8 * index + 4);
  }
  const file = join(temporaryDirectory(), 'filter');
  writeFileSync(file, bytes);
  return file;
}

/** A program below the profile, without privileges, as in a container of docker-compose.yml. */
function contained(user: number | undefined, words: readonly string[], directory: string) {
  const asUser = `--cap-add ALL -- setpriv --reuid=${user} --regid=${user} --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all`;
  const view = `--dev-bind / / --seccomp 3 ${user === undefined ? '--' : asUser}`.split(' ');
  const filter = openSync(filterFile(), 'r');
  const child = spawn('/usr/bin/bwrap', [...view, ...words], {
    env: { PATH: process.env['PATH'], TMPDIR: directory },
    stdio: ['pipe', 'pipe', 'inherit', filter],
  });
  closeSync(filter);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('it has no input and output');
  return { stdin, stdout, ended: once(child, 'close') };
}

function directoryOf(user: number | undefined): string {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o711);
  if (user !== undefined) chownSync(directory, user, user);
  return directory;
}

const PARSER = '/sbin/apparmor_parser';
const itParses = existsSync(PARSER) ? it : it.skip;

describe('the AppArmor profile for containers', () => {
  itParses('is one that the parser understands', async () => {
    const words = ['--skip-kernel-load', '--skip-cache', 'apparmor-profile'];
    await promisify(execFile)(PARSER, words);
  });
});

const describeHere = whyNot === '' ? describe : describe.skip;

describeHere.each(USERS)('the seccomp profile for containers, %s', (_as, user) => {
  it('lets the sandbox open, prove itself and run a command', async () => {
    const directory = directoryOf(user);
    const script = join(import.meta.dirname, 'service.ts');
    const service = contained(user, [process.execPath, script, '{}'], directory);
    const lines = createInterface({ input: service.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse(String((await lines.next()).value)) as { opened?: string };
    expect(await next()).toMatchObject({ opened: 'ready' });
    service.stdin.end();
    await service.ended;
  });

  it('denies what reaches into the kernel', async () => {
    const denied = profile.syscalls.flatMap(({ names, errnoRet }) =>
      names.flatMap((name) => {
        const number = numberOf(name);
        return number === undefined ? [] : [[name, number, errnoRet] as const];
      }),
    );
    expect(denied.length).toBeGreaterThan(35);
    const tries = `import ctypes, json, sys
libc = ctypes.CDLL(None, use_errno=True)
got = []
for name, number, errno in json.loads(sys.argv[1]):
    ctypes.set_errno(0)
    libc.syscall(number, -1, -1, -1, -1, -1, -1)
    if ctypes.get_errno() != errno: got.append([name, ctypes.get_errno()])
print(json.dumps(got))`;
    const words = ['/usr/bin/python3', '-c', tries, JSON.stringify(denied)];
    const child = contained(user, words, directoryOf(user));
    child.stdin.end();
    expect(JSON.parse(await text(child.stdout))).toEqual([]);
  });
});
