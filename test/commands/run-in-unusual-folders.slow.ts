// More of `issuewright run` in a folder: unusual repositories, limits, kill -9, traces, and MCP servers that ask.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { nativeGit } from '../support/git-server.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { startModernServer } from '../mcp/modern-server.ts';
import { ADDS, call, finish, say, startProgram, write } from './by-hand-scene.ts';
import { model, newFolder, environmentFor, run, runInTerminal, BRANCH } from './folder-scene.ts';

describe('issuewright run in an unusual folder', () => {
  it('works where no branch is checked out, and in a bare repository', async () => {
    const folder = newFolder();
    nativeGit(folder, 'checkout', '-q', '--detach');
    expect((await run(folder, ADDS)).code).toBe(0);
    await model?.close();
    const bare = path.join(temporaryDirectory(), 'bare.git');
    nativeGit(folder, 'clone', '-q', '--bare', folder, bare);
    nativeGit(bare, 'branch', '-D', BRANCH);
    expect((await run(bare, ADDS)).code).toBe(0);
    expect(nativeGit(bare, 'show', `${BRANCH}:hi.txt`)).toBe('hi');
  });

  it('ends at a limit, and keeps the work', async () => {
    const folder = newFolder();
    const turns = [say(write('half.txt', 'half\n')), ...ADDS];
    const limit = { AGENT_MAX_ITERATIONS: '1' };
    const { code, stderr } = await run(folder, turns, ['Add a greeting'], limit);
    expect([code, stderr]).toEqual([4, expect.stringContaining('limit of 1 model repl')]);
    expect(nativeGit(folder, 'show', `${BRANCH}:half.txt`)).toBe('half');
  });

  it('sends its trace to a collector, if one is named', async () => {
    const receiver = await startOtlpReceiver();
    try {
      const to = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
      const turns = [say(write('hello.txt', 'Hello\n'), finish)];
      const { code } = await run(newFolder(), turns, undefined, to);
      expect(code).toBe(0);
      const names = receiver.spans.map(({ name }) => name);
      expect(names.at(-1)).toBe('invoke_agent issuewright');
      expect(names).toEqual(expect.arrayContaining(['chat scripted', 'execute_tool write_file']));
      expect(receiver.metrics.has('issuewright.sessions')).toBe(false);
      expect(receiver.metrics.has('issuewright.runs')).toBe(true);
    } finally {
      await receiver.close();
    }
  });

  it('keeps its commits when it is killed, and begins anew on another branch', async () => {
    const folder = newFolder();
    const turns = [
      say(write('half.txt', 'half\n'), call('commit', { message: 'Begin it' })),
      { ...say(finish), delay_ms: 600_000 },
    ];
    const environment = await environmentFor(turns);
    const { program, untilSaid, ended } = startProgram(
      ['run', 'Add a greeting'],
      folder,
      environment,
    );
    await untilSaid(/commit [0-9a-f]{10}: Begin it/);
    program.kill('SIGKILL');
    await ended;
    expect(nativeGit(folder, 'show', `${BRANCH}:half.txt`)).toBe('half');
    await model?.close();
    expect((await run(folder, ADDS)).code).toBe(0);
    expect(nativeGit(folder, 'rev-list', '--count', `main..${BRANCH}-2`)).toBe('1');
    expect(nativeGit(folder, 'status', '--porcelain')).toBe('');
    expect(nativeGit(folder, 'fsck', '--strict')).toBe('');
  });

  it('works in a work tree beside the main one, from what is checked out there', async () => {
    const folder = newFolder();
    const beside = path.join(temporaryDirectory(), 'beside');
    nativeGit(folder, 'worktree', 'add', '-q', '-b', 'other', beside);
    writeFileSync(path.join(beside, 'other.txt'), 'other\n');
    nativeGit(beside, 'add', '.');
    nativeGit(beside, 'commit', '-q', '-m', 'Other');
    writeFileSync(path.join(beside, 'new.txt'), 'new\n');
    const { code, stdout, stderr } = await run(beside, ADDS);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/ of other\.\n.*nor changes it: new\.txt\./),
    ]);
    expect(stdout).toContain('+++ b/hi.txt');
    expect(stdout).not.toContain('other.txt');
    expect(nativeGit(folder, 'log', '--format=%s', BRANCH)).toBe('Add a greeting\nOther\nBegin');
    expect(nativeGit(beside, 'status', '--porcelain')).toBe('?? new.txt');
    expect(nativeGit(folder, 'status', '--porcelain')).toBe('');
  });

  it('works in a shallow clone, which stays one', async () => {
    const folder = newFolder();
    nativeGit(folder, 'commit', '-q', '--allow-empty', '-m', 'Second');
    const shallow = path.join(temporaryDirectory(), 'shallow');
    nativeGit(folder, 'clone', '-q', '--depth=1', `file://${folder}`, shallow);
    const { code, stdout } = await run(shallow, ADDS);
    expect([code, stdout]).toEqual([0, expect.stringContaining('+++ b/hi.txt')]);
    expect(nativeGit(shallow, 'log', '--format=%s', BRANCH)).toBe('Add a greeting\nSecond');
    expect(nativeGit(shallow, 'rev-parse', '--is-shallow-repository')).toBe('true');
    expect(nativeGit(shallow, 'fsck')).toBe('');
  });

  it('asks in the terminal what an MCP server asks, and tells it to decline where nobody answers', async () => {
    const server = await startModernServer();
    try {
      const more = {
        MCP_SERVERS: JSON.stringify({ new: { url: server.url } }),
        ALLOW_DANGEROUS_TOOLS: 'true',
      };
      const deploy = say(call('mcp__new__deploy', { to: 'production' }));
      const confirm = say(call('answer_mcp_question', { answers: { confirm: true } }));
      const decline = say(call('answer_mcp_question', { decline: true }));
      const folder = newFolder();
      const answers = [['Your answer', 'Yes, deploy it.']] as const;
      const asked = await runInTerminal(folder, [deploy, confirm, ...ADDS], answers, more);
      expect([asked.code, asked.shown]).toEqual([
        0,
        expect.stringContaining('Deploy to production?'),
      ]);
      expect(model?.requests.at(-1)?.body).toContain('deployed to production');
      await model?.close();
      const words = ['--yes', 'Add a greeting'];
      const { code } = await run(folder, [deploy, decline, ...ADDS], words, more);
      expect([code, model?.requests[1]?.body]).toEqual([0, expect.stringContaining('> Decline')]);
      expect(model?.requests.at(-1)?.body).toContain('not deployed');
    } finally {
      await server.close();
    }
  });
});
