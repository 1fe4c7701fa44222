// A command that attacks the sandbox from inside. That a program is installed does not prove that the
// kernel allows what it needs. Only an attack that fails proves it.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../lib/errors.ts';
import { TEMPORARY_PREFIX } from '../../lib/temporary-names.ts';
import { explain } from './diagnosis.ts';
import { SandboxBroken } from '../running/sandbox-broken.ts';
import { quote, type ShellWorkspace } from '../shell.ts';
import type { Shell } from '../../contracts/shell.ts';

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
