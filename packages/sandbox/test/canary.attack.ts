// The canary on machines that are not made for a sandbox: child processes in namespaces of their own, set
// up as such a machine would be. The host stays as it is.
import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { isRoot, whyNoOtherUser } from '../../../test/support/other-user.ts';
import { whyNot } from './support.ts';

const exec = promisify(execFile);
const script = join(import.meta.dirname, 'service.ts');

const declare = whyNot === '' && isRoot ? describe : describe.skip;
declare(`a machine where the canary looks for a sandbox ${whyNot}`, () => {
  /** What the service says of its sandbox, after `setup`, started with `start`. */
  async function opened(setup: string, start = 'exec', unshare: string[] = []): Promise<string> {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o711);
    const command = `${setup}\n${start} "$NODE" "$SCRIPT" '{}' < /dev/null`;
    const { stdout } = await exec(
      'unshare',
      [...unshare, '--mount', '--propagation', 'private', 'sh', '-ec', command],
      {
        env: {
          PATH: `${process.env['PATH']}:/usr/sbin:/sbin`,
          TMPDIR: directory,
          NODE: process.execPath,
          SCRIPT: script,
        },
      },
    );
    return (JSON.parse(stdout) as { opened: string }).opened;
  }

  /** Puts our own program in the place of bubblewrap. */
  const inItsPlace = (program: string): string =>
    `cat > $TMPDIR/program <<'END'\n#!/bin/sh\n${program}\nEND\nchmod 755 $TMPDIR/program\nmount --bind $TMPDIR/program /usr/bin/bwrap`;

  it('has one', async () => {
    expect(await opened('')).toBe('ready');
  });

  const itAsAnother = whyNoOtherUser === '' ? it : it.skip;
  const inContainer = 'has one, also in a container without capabilities, whose root is read-only';
  itAsAnother(`${inContainer} ${whyNoOtherUser}`, async () => {
    const setup =
      'chmod 1777 $TMPDIR; mount --bind / /mnt; mount -o remount,bind,ro /mnt; cd /mnt; pivot_root . mnt; mount --bind /mnt/tmp /tmp; mount -t proc proc /proc; mount --bind /mnt/dev /dev; umount -l /mnt';
    const start =
      'exec setpriv --reuid 60300 --regid 60300 --clear-groups --bounding-set -all --no-new-privs';
    expect(await opened(setup, start, ['--pid', '--fork'])).toBe('ready');
  });

  it('has no bubblewrap', async () => {
    const hide =
      'mount -t tmpfs none /mnt; cp -a /usr/bin/. /mnt; rm /mnt/bwrap; mount --bind /mnt /usr/bin';
    expect(await opened(hide)).toBe(
      'bubblewrap is not installed. Install the package `bubblewrap`, version 0.8 or later.',
    );
  });

  it('has a bubblewrap that is too old', async () => {
    const old = inItsPlace('echo "bwrap: Unknown option --disable-userns" >&2; exit 1');
    expect(await opened(old)).toMatch(/^bubblewrap is too old: version 0\.8 or later is needed/);
  });

  it('has a bubblewrap that contains nothing: what was reached is named', async () => {
    // At its end it ends what was started beside the command, as the namespace of a real one would.
    const open = inItsPlace(
      'while [ "$1" != -- ]; do shift; done; shift\necho "{ \\"child-pid\\": $$ }" >&3\n"$@"\necho "{ \\"exit-code\\": $? }" >&3\ntrap "" TERM; kill 0',
    );
    expect(await opened(open)).toMatch(
      /^The sandbox is not secure: a test command inside it had access to files outside, .*network.*, other processes, .*user namespaces, unfiltered system calls\.$/,
    );
  });

  it('lets no one create user namespaces', async () => {
    // One is allowed, and the service itself is in that one.
    const deny = 'echo 1 > /proc/sys/user/max_user_namespaces';
    const start = 'exec unshare --user --map-user=1000 --map-group=1000';
    const why = await opened(deny, start, ['--user', '--map-root-user']);
    expect(why).toMatch(/^This machine does not allow user namespaces\. .*docs\/security\.md/);
  });

  it('masks parts of /proc, as containers do', async () => {
    const why = await opened('mount --bind /dev/null /proc/interrupts');
    expect(why).toMatch(/^Parts of \/proc are masked.*systempaths=unconfined.*procMount: Unmasked/);
  });

  it('has a root user that cannot become another user', async () => {
    const why = await opened('', 'exec setpriv --bounding-set -setuid,-setgid');
    expect(why).toMatch(/^The service runs as root but may not switch to another user/);
  });

  it('has a root whose namespace knows no other user', async () => {
    const why = await opened('', 'exec', ['--user', '--map-root-user']);
    expect(why).toMatch(/^The service runs as root but may not switch to another user/);
  });

  it('has a directory for temporary files that only root can enter', async () => {
    expect(await opened('chmod 700 $TMPDIR')).toMatch(/cannot enter \/.*Set TMPDIR/);
  });
});
