// A folder with a repository, and `issuewright run` in it with a model that follows a script.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach } from '@jest/globals';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { nativeGit } from '../support/git-server.ts';
import { runProgram, type Ended } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { asking, IN_TERMINAL } from './by-hand-scene.ts';

export let model: ModelServer | undefined;
afterEach(() => model?.close());

/** A folder in a path with blanks, with one commit. */
export function newFolder({ commits = true } = {}): string {
  const folder = path.join(temporaryDirectory(), 'my folder');
  mkdirSync(folder);
  nativeGit(folder, 'init', '-q', '-b', 'main');
  if (!commits) return folder;
  writeFileSync(path.join(folder, 'readme.md'), 'Hello\n');
  nativeGit(folder, 'add', '.');
  nativeGit(folder, 'commit', '-q', '-m', 'Begin');
  return folder;
}

export async function environmentFor(turns: Script['turns'], more: Record<string, string> = {}) {
  model = await startModelServer({ scripts: [{ turns }] });
  return { ...asking(model), ...more };
}

export async function run(
  directory: string,
  turns: Script['turns'],
  words: readonly string[] = ['Add a greeting'],
  more: Record<string, string> = {},
): Promise<Ended> {
  const environment = await environmentFor(turns, more);
  return runProgram(['run', ...words], { directory, environment });
}

export async function runInTerminal(
  directory: string,
  turns: Script['turns'],
  answers: readonly (readonly [words: string, answer: string])[],
  more: Record<string, string> = {},
): Promise<{ readonly code: unknown; readonly shown: string }> {
  const program = path.resolve('bin/issuewright.js');
  const words = ['-c', IN_TERMINAL, JSON.stringify(answers), process.execPath, program];
  const env = await environmentFor(turns, more);
  const terminal = spawn('python3', words, { cwd: directory, env, stdio: 'pipe' });
  let shown = '';
  terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const code = await new Promise((resolve) => terminal.once('close', resolve));
  return { code, shown };
}

export const BRANCH = 'issuewright/add-a-greeting';
