import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Line {
  readonly ready?: boolean;
  readonly woken?: string;
  readonly session?: string;
  readonly failed?: string;
}

const SCRIPT = fileURLToPath(new URL('./worker-process.ts', import.meta.url));

export interface Options {
  /** Another user to run as. */
  readonly user?: number;
  /** What goes before the command line. */
  readonly before?: readonly string[];
}

/** Runs the service in a process of its own. */
export function startWorker(kind: 'embedded' | 'url', where: string, options: Options = {}) {
  const [program, ...args] = [...(options.before ?? []), process.execPath, SCRIPT, kind, where];
  const child = spawn(program!, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: '/',
    ...(options.user === undefined ? {} : { uid: options.user, gid: options.user }),
  });
  const exited = once(child, 'exit');
  const lines: Line[] = [];
  const reader = createInterface(child.stdout);
  const ended = once(reader, 'close');
  reader.on('line', (line) => lines.push(JSON.parse(line) as Line));
  return {
    lines,
    pid: child.pid ?? 0,
    /** The next line that `wanted` takes, of the past ones too. */
    async line(wanted: (line: Line) => boolean): Promise<Line> {
      for (;;) {
        const found = lines.find(wanted);
        if (found !== undefined) return found;
        const closed = await Promise.race([ended.then(() => true), once(reader, 'line')]);
        if (closed === true && !lines.some(wanted))
          throw new Error(`the worker ended without it; it said ${JSON.stringify(lines.at(-1))}`);
      }
    },
    async kill() {
      child.kill('SIGKILL');
      await Promise.all([exited, ended]);
    },
  };
}
