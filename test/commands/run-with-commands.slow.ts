// Commands of `issuewright run` in a folder, as people start it.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { whyNot } from '../../packages/sandbox/test/support.ts';
import { nativeGit } from '../support/git-server.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { asking, call, finish, say } from './by-hand-scene.ts';

let model: ModelServer | undefined;
afterEach(() => model?.close());

const PROGRAM = { mode: 0o755 };
const COMMAND =
  'git log --format=%s; deps/bin/tool; echo x >> readme.md; git status -s; git commit -am x';

const declare = whyNot === '' ? describe : describe.skip;
declare(`a command of issuewright run ${whyNot}`, () => {
  it('sees the history and the dependencies of the folder, which stays as it is', async () => {
    const directory = temporaryDirectory();
    // The commands' user has to be able to enter it.
    chmodSync(directory, 0o755);
    const write = (name: string, text: string, options = {}): void =>
      writeFileSync(path.join(directory, name), text, options);
    nativeGit(directory, 'init', '-q', '-b', 'main');
    write('Makefile', 'check:\n\ttrue\n');
    for (const name of ['readme.md', '.gitignore']) {
      write(name, 'deps\n');
      nativeGit(directory, 'add', '.');
      nativeGit(directory, 'commit', '-q', '-m', `Add ${name}`);
    }
    mkdirSync(path.join(directory, 'deps/bin'), { recursive: true });
    write('deps/bin/tool', '#!/bin/sh\necho a tool\n', PROGRAM);
    const turns = [say(call('run_shell_command', { command: COMMAND })), say(finish)];
    model = await startModelServer({ scripts: [{ turns }] });
    const words = ['run', '--allow-dangerous-tools', 'Add a greeting'];
    const ended = await runProgram(words, { directory, environment: asking(model) });
    expect(ended.stderr).toContain('Commands can read but not change deps of this folder.');
    expect(ended.code).toBe(0);
    const [first, told = ''] = model.requests.map(({ body }) => body);
    expect(first).toMatch(/Programs: .*\bgit \d/);
    expect(first).toContain('(run_tests runs `make check`.)');
    expect(told).toContain(
      String.raw`Add .gitignore\nAdd readme.md\na tool\n M readme.md\nIn a command, git`,
    );
    expect(told).toContain('Git made no commit, branch or tag. Use these tools instead: commit');
    const branch = 'issuewright/add-a-greeting';
    expect(nativeGit(directory, 'show', `${branch}:readme.md`)).toBe('deps\nx');
    expect(nativeGit(directory, 'status', '--porcelain')).toBe('');
  });
});
