// Why there is no sandbox on this machine, in the words of somebody who can do something about it.
import { existsSync, readFileSync } from 'node:fs';
import { bubblewrap } from './start-contained.ts';

/** What is missing before anything was tried; `undefined`: nothing. */
export function whatIsMissing(): string | undefined {
  if (process.platform !== 'linux')
    return 'Commands are contained with bubblewrap, which is there for Linux only.';
  if (process.arch !== 'x64' && process.arch !== 'arm64')
    return `The filter of system calls is written for x86_64 and aarch64, not for ${process.arch}.`;
  if (bubblewrap() === undefined)
    return 'bubblewrap is not installed. Install the package `bubblewrap`, version 0.8 or later.';
  if (!existsSync('/usr/bin/prlimit'))
    return '/usr/bin/prlimit is not there. Install the package `util-linux`.';
  return undefined;
}

const IN_CONTAINER =
  'In a container: docs/security.md has the flags that it has to be started with.';

/** What bubblewrap says, as a pattern, and what that means. */
const MEANINGS: readonly (readonly [RegExp, () => string])[] = [
  [/unknown option/i, () => 'bubblewrap is too old: version 0.8 or later is needed.'],
  [
    /mount proc|\/proc: Operation not permitted/i,
    () =>
      'Parts of /proc are masked here, so that the kernel refuses a fresh one to the sandbox. Containers are started that way unless told otherwise (`systempaths=unconfined` with Docker, `procMount: Unmasked` with Kubernetes).',
  ],
  [
    /namespace|uid map|setgroups|user\.max_user_namespaces|No permissions to create/i,
    () => `This machine does not let us make user namespaces.${whyNoNamespaces()}`,
  ],
  [
    /EPERM|EINVAL/,
    () =>
      'The service runs as root, and may not become another user: run it as a user other than root, or give it the capabilities SETUID and SETGID.',
  ],
];

/** The complaint itself is always part of it. */
export function explain(complaint: string): string {
  const [, meaning] = MEANINGS.find(([pattern]) => pattern.test(complaint)) ?? [];
  const said = `(It was said: ${complaint.trim()})`;
  if (meaning === undefined) return `No command could be started in the sandbox. ${said}`;
  return `${meaning()} ${IN_CONTAINER} ${said}`;
}

/** Settings of the kernel that stand against it: name, the value that forbids, what to do. */
const SETTINGS = [
  ['user/max_user_namespaces', '0', 'sysctl -w user.max_user_namespaces=15000'],
  ['kernel/unprivileged_userns_clone', '0', 'sysctl -w kernel.unprivileged_userns_clone=1'],
  [
    'kernel/apparmor_restrict_unprivileged_userns',
    '1',
    'an AppArmor profile that gives /usr/bin/bwrap `userns`, or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
  ],
] as const;

function whyNoNamespaces(): string {
  const found = SETTINGS.find(([name, forbids]) => settingOf(name) === forbids);
  return found === undefined
    ? ''
    : ` ${found[0].replaceAll('/', '.')} is ${found[1]}: ${found[2]}.`;
}

function settingOf(name: string): string | undefined {
  const path = `/proc/sys/${name}`;
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}
