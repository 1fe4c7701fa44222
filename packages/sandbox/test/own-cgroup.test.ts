import { expect, it } from '@jest/globals';
import { cgroupDirectory } from '../src/cgroup/command-cgroups.ts';

const mount = (root: string, at: string, type: string): string =>
  `31 24 0:27 ${root} ${at} rw,nosuid shared:9 - ${type} cgroup rw\n`;
const ROOT = mount('/', '/', 'ext4');
const V2 = ROOT + mount('/', '/sys/fs/cgroup', 'cgroup2');
const HYBRID =
  ROOT +
  mount('/', '/sys/fs/cgroup/memory', 'cgroup') +
  mount('/', '/sys/fs/cgroup/unified', 'cgroup2');

it.each([
  [
    'a unit of systemd',
    '0::/system.slice/a.service\n',
    V2,
    '/sys/fs/cgroup/system.slice/a.service',
  ],
  ['the root', '0::/\n', V2, '/sys/fs/cgroup'],
  ['v2 beside v1', '4:memory:/jobs\n0::/a\n', HYBRID, '/sys/fs/cgroup/unified/a'],
  ['v1 alone', '4:memory:/jobs\n', ROOT + mount('/', '/sys/fs/cgroup/memory', 'cgroup'), undefined],
  ['no mount', '0::/a\n', ROOT, undefined],
  [
    'a mount of a part',
    '0::/a/b\n',
    ROOT + mount('/a', '/sys/fs/cgroup', 'cgroup2'),
    '/sys/fs/cgroup/b',
  ],
  [
    'a mount of another part',
    '0::/ab\n',
    ROOT + mount('/a', '/sys/fs/cgroup', 'cgroup2'),
    undefined,
  ],
  ['a cgroup outside of the namespace', '0::/../a\n', V2, undefined],
  [
    'a mount point with a blank',
    '0::/a\n',
    mount('/', '/my\\040cgroups', 'cgroup2'),
    '/my cgroups/a',
  ],
])('the directory of the own cgroup is found: %s', (_what, cgroups, mounts, directory) => {
  expect(cgroupDirectory(cgroups, mounts)).toBe(directory);
});
