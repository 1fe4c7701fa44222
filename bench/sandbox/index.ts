import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openSandbox } from '../../packages/sandbox/src/index.ts';
import type { Shell } from '../../src/contracts/shell.ts';
import { median } from '../median.ts';

const RUNS = 30;
const GOAL_MS = 10;

const COMMANDS = [
  ['true', 'true'],
  ['a short program', 'ls -la / > listed && wc -l listed'],
  ['Node', "node -e ''"],
] as const;

/** What the sandbox adds to a command: medians of runs that take turns with a plain spawn of the same. */
export async function benchSandbox(): Promise<string> {
  const around = await mkdtemp(join(tmpdir(), `issuewright-${process.pid}-`));
  const directory = join(around, 'tree');
  const opened = await openSandbox({ allowHosts: [], log: pino({ level: 'silent' }) });
  if (opened.state === 'absent') throw new Error(opened.why);
  try {
    await mkdir(directory);
    const shell = opened.sandbox.shell({ directory });
    const lines: string[] = [];
    for (const [name, command] of COMMANDS)
      lines.push(await compare(name, command, shell, directory));
    const [load = 0] = loadavg();
    return `${lines.join('\n')}\n${RUNS} runs each, in turns; load ${load.toFixed(1)} on ${availableParallelism()} cores; goal: at most ${GOAL_MS} ms more for \`true\``;
  } finally {
    await opened.sandbox.close();
    await rm(around, { recursive: true, force: true });
  }
}

async function compare(
  name: string,
  command: string,
  shell: Shell,
  directory: string,
): Promise<string> {
  const plain: number[] = [];
  const contained: number[] = [];
  const { signal } = new AbortController();
  const contain = async (): Promise<void> => {
    const { exitCode } = await shell.run({ command, directory: '', timeoutMs: 60_000, signal });
    if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}`);
  };
  await contain();
  for (let run = 0; run < RUNS; run += 1) {
    plain.push(await time(() => spawnPlain(command, directory)));
    contained.push(await time(contain));
  }
  const [before, after] = [median(plain), median(contained)];
  const least = Math.min(...contained) - Math.min(...plain);
  return `${name.padEnd(16)} plain ${ms(before)}  contained ${ms(after)}  more ${ms(after - before)}  (of the fastest: ${ms(least)})`;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

async function time(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function spawnPlain(command: string, cwd: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, 'close');
}
