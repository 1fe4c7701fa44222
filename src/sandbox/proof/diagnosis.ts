// Why this machine has no sandbox, and what the operator can do about it.
import { existsSync, readFileSync } from 'node:fs';
import { bubblewrap } from '../running/start-contained.ts';

/** What is missing on this machine; `undefined` if nothing obvious is. */
export function whatIsMissing(): string | undefined {
  if (process.platform !== 'linux')
    return 'Commands are contained with bubblewrap, which runs on Linux only.';
  if (process.arch !== 'x64' && process.arch !== 'arm64')
    return `The system call filter supports x86_64 and aarch64, not ${process.arch}.`;
  if (bubblewrap() === undefined)
    return 'bubblewrap is not installed. Install the package `bubblewrap`, version 0.8 or later.';
  if (!existsSync('/usr/bin/prlimit'))
    return '/usr/bin/prlimit is missing. Install the package `util-linux`.';
  return undefined;
}

const IN_CONTAINER =
  'If Issuewright runs in a container, docs/security.md lists the flags it needs.';

/** Patterns of bubblewrap's messages, and what they mean. */
const MEANINGS: readonly (readonly [RegExp, () => string])[] = [
  [/unknown option/i, () => 'bubblewrap is too old: version 0.8 or later is needed.'],
  [
    /mount proc|\/proc: Operation not permitted/i,
    () =>
      'Parts of /proc are masked on this machine, so the kernel does not let the sandbox mount its own. Containers mask them by default. Start the container with `systempaths=unconfined` (Docker) or `procMount: Unmasked` (Kubernetes). ' +
      IN_CONTAINER,
  ],
  [
    /namespace|uid map|setgroups|user\.max_user_namespaces|No permissions to create/i,
    () => `This machine does not allow user namespaces.${whyNoNamespaces()} ${IN_CONTAINER}`,
  ],
  [
    /EPERM|EINVAL/,
    () =>
      'The service runs as root but may not switch to another user. Run it as a user other than root, or give it the capabilities SETUID and SETGID.',
  ],
];

/** Explains an error message and always quotes it. */
export function explain(message: string): string {
  const [, meaning] = MEANINGS.find(([pattern]) => pattern.test(message)) ?? [];
  const original = `(bubblewrap said: ${message.trim()})`;
  if (meaning === undefined) return `No command could be started in the sandbox. ${original}`;
  return `${meaning()} ${original}`;
}

/** Kernel settings that forbid user namespaces: name, the forbidding value, the cure. */
const SETTINGS = [
  ['user/max_user_namespaces', '0', 'sysctl -w user.max_user_namespaces=15000'],
  ['kernel/unprivileged_userns_clone', '0', 'sysctl -w kernel.unprivileged_userns_clone=1'],
  [
    'kernel/apparmor_restrict_unprivileged_userns',
    '1',
    'add an AppArmor profile that grants `userns` to /usr/bin/bwrap, or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
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
