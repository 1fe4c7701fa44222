// A command that attacks the sandbox from inside. That a program is installed does not prove that the
// kernel allows what it needs. Only an attack that fails proves it.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../../../src/lib/errors.ts';
import { TEMPORARY_PREFIX } from '../../../../src/lib/directories.ts';
import { SandboxBroken } from '../running/running-sandbox.ts';
import { quote, type ShellWorkspace } from '../shell.ts';
import type { Shell } from '../../../../src/contracts/shell.ts';
import { bubblewrap } from '../running/start-contained.ts';

const TIME_MS = 20_000;
const REACHED = 'reached: ';

/** Why commands must not run here, for the operator; `undefined` if the sandbox holds. */
export async function canary(
  shellOf: (workspace: ShellWorkspace) => Shell,
): Promise<string | undefined> {
  const around = await mkdtemp(join(tmpdir(), TEMPORARY_PREFIX));
  const directory = join(around, 'tree');
  const door = createServer((socket) => socket.destroy());
  door.listen(0, '127.0.0.1');
  try {
    await once(door, 'listening');
    await mkdir(directory);
    await writeFile(join(around, 'secret'), 'secret');
    const { port } = door.address() as AddressInfo;
    return await attack(shellOf({ directory }), around, port);
  } catch (error) {
    return explain(error instanceof SandboxBroken ? error.complaint : messageOf(error));
  } finally {
    door.close();
    await rm(around, { recursive: true, force: true });
  }
}

async function attack(shell: Shell, around: string, port: number): Promise<string | undefined> {
  const { ended, exitCode, output } = await shell.run({
    command: attacks(around, port),
    directory: '',
    timeoutMs: TIME_MS,
    signal: AbortSignal.timeout(2 * TIME_MS),
  });
  const reached = output.head
    .split('\n')
    .filter((line) => line.startsWith(REACHED))
    .map((line) => line.slice(REACHED.length));
  if (reached.length > 0)
    return `The sandbox is not secure: a test command inside it had access to ${reached.join(', ')}.`;
  if (ended === 'exited' && exitCode === 0 && existsSync(join(around, 'tree', 'written')))
    return undefined;
  return explain(`the test command ended with ${exitCode ?? ended}: ${output.head}`);
}

// Kernel settings are rewritten with their own value: being allowed to write is the finding.
const attacks = (around: string, port: number): string => `
reached() { echo "${REACHED}$1"; }
exec 2>/dev/null
[ "$(id -u)" = 0 ] && reached 'root privileges'
[ -e ${quote(join(around, 'secret'))} ] && reached 'files outside'
(: > ${quote(join(around, 'planted'))}) && reached 'directories outside'
(: > /usr/issuewright-canary) && reached '/usr'
while read -r name rest; do
  case $name in lo:*|Inter*|face*) ;; *) reached "the network interface $name" ;; esac
done < /proc/net/dev
command -v node > /dev/null && node -e '
  require("node:net").connect(${port}, "127.0.0.1", () => console.log("${REACHED}the network of the service"))
    .on("error", () => {});
'
set -- /proc/[0-9]*
[ $# -gt 6 ] && reached 'other processes'
[ -e /proc/1/environ ] && reached "the sandbox's init process"
for setting in kernel/hostname vm/overcommit_memory; do
  value=$(cat /proc/sys/$setting)
  (echo "$value" > /proc/sys/$setting) && reached "/proc/sys/$setting"
done
unshare --user true && reached 'user namespaces'
grep -q '^Seccomp:[[:space:]]*2' /proc/self/status || reached 'unfiltered system calls'
: > written
`;

/** What is missing on this machine; `undefined` if nothing obvious is. */
export function whatIsMissing(): string | undefined {
  if (process.platform !== 'linux')
    return 'Commands need bubblewrap, which runs on Linux only. Use a Linux machine, or the container on one.';
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
function explain(message: string): string {
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
