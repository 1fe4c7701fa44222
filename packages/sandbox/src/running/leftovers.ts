import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { INSIDE } from '../inside/environment.ts';
import { unlessItFails } from '../../../../src/lib/errors.ts';
import { startOf } from '../process-stat.ts';
import { killUnlessEnded } from './running-sandbox.ts';
import { BUBBLEWRAP } from './start-contained.ts';

const ROOT = 0;

/**
 * Ends what is left of bubblewrap in the workspaces below a directory, whose service is dead: if the service is killed
 * while a sandbox starts, a process of it may wait forever. Only for processes of this user, or of any if it is root.
 */
export function endLeftovers(directory: string): void {
  for (const name of unlessItFails(() => readdirSync('/proc')) ?? []) {
    const start = /^\d+$/.test(name) ? startOf(name) : undefined;
    if (start === undefined || !isLeftover(name, directory)) continue;
    // By now another process may have its id.
    if (startOf(name) === start) killUnlessEnded(Number(name));
  }
}

function isLeftover(pid: string, directory: string): boolean {
  const own = process.getuid?.();
  const uid = unlessItFails(() => statSync(`/proc/${pid}`).uid);
  if (uid === undefined || (own !== ROOT && uid !== own)) return false;
  const line = unlessItFails(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';
  const [program = '', ...args] = line.split('\0');
  const workspace = args.find(
    (_, at) => args[at - 1] === '--bind' && args[at + 1] === INSIDE.workspace,
  );
  return (
    BUBBLEWRAP.includes(program) && workspace !== undefined && dirname(workspace) === directory
  );
}
