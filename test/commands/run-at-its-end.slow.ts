import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { nativeGit } from '../support/git-server.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ADDS, asking, call, finish, say } from './by-hand-scene.ts';

let model: ModelServer | undefined;
afterEach(() => model?.close());

function newFolder(): string {
  const folder = temporaryDirectory();
  nativeGit(folder, 'init', '-q', '-b', 'main');
  writeFileSync(path.join(folder, 'readme.md'), 'Hello\n');
  nativeGit(folder, 'add', '.');
  nativeGit(folder, 'commit', '-q', '-m', 'Begin');
  return folder;
}

it('a run in a folder shows what a review found and the agent left, commits once, and says what it waits for at the end', async () => {
  const folder = newFolder();
  const reviews = ['- hi.txt:1: too short'];
  model = await startModelServer({ scripts: [{ turns: [...ADDS, say(finish)], reviews }] });
  const environment = { ...asking(model), SELF_REVIEW: 'true' };
  const ran = await runProgram(['run', 'Add a greeting'], { directory: folder, environment });
  const { code, stderr } = ran;
  expect(code).toBe(0);
  expect(stderr).toMatch(/✗ Finish: Not submitted yet.*left it to you:\n- `hi\.txt:1`: too short/s);
  expect(stderr).toContain('… Removing the copy that the agent worked in\n');
  expect(nativeGit(folder, 'log', '--format=%B', 'main..issuewright/add-a-greeting')).toBe(
    'Add a greeting\n\nAs asked.',
  );
});

it('a run in a folder has the agent decide with --yes if it proposes nothing', async () => {
  const turns = [say(call('ask_question', { questions: ['Which?'] })), ...ADDS];
  model = await startModelServer({ scripts: [{ turns }] });
  const words = ['run', '--yes', 'Add a greeting'];
  const { code } = await runProgram(words, { directory: newFolder(), environment: asking(model) });
  expect(code).toBe(0);
  expect(model?.requests.at(-1)?.body).toContain('decide yourself and say so in the summary');
});
