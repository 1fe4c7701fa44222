// What a task needs installed, such as its dependencies: made once, outside of the sandbox and with the network, and unpacked
// before the agent starts and before the judge does. So both begin alike, and neither needs a registry.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { git } from './task-repository.ts';
import { TellPerson } from '../../src/lib/errors.ts';

const run = promisify(execFile);

/** Below the working directory; commands in the sandbox may read it. */
export const PREPARED = 'prepared';

interface Preparation {
  readonly command: string | undefined;
  /** Of the archive. */
  readonly name: string;
  /** A bare repository whose branch `start` is checked out for the command. */
  readonly gitdir: string;
  readonly work: string;
}

/** Resolves with a command that unpacks it in the current directory. */
export async function prepare({
  command,
  name,
  gitdir,
  work,
}: Preparation): Promise<string | undefined> {
  if (command === undefined) return undefined;
  const archive = path.resolve(work, PREPARED, `${name}.tar`);
  const unpack = `tar -xf '${archive}'`;
  if (existsSync(archive)) return unpack;
  mkdirSync(path.dirname(archive), { recursive: true });
  const scratch = mkdtempSync(path.join(tmpdir(), 'bench-prepare-'));
  try {
    process.stderr.write(`Preparing ${name}: ${command}\n`);
    const folder = path.join(scratch, 'repository');
    await git(['clone', '--quiet', '--branch=start', gitdir, folder]);
    const child = spawn('bash', ['-c', command], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0)
      throw new TellPerson(`Preparing ${name} failed: ${command} ended with ${code}.`);
    const words = ['-C', folder, 'ls-files', '-z', '--others', '--directory'];
    const { stdout } = await run('git', words, { maxBuffer: 64 * 1024 * 1024 });
    const list = path.join(scratch, 'list');
    writeFileSync(list, stdout);
    const tar = ['-C', folder, '--null', '-T', list, '-cf', `${archive}.new`];
    await run('tar', tar);
    renameSync(`${archive}.new`, archive);
    return unpack;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
