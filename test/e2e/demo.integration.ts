// `./issuewright demo`, as the README has people start: no settings, no terminal.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { SAMPLE } from '../../packages/local-github/src/index.ts';
import { checkedByImport } from '../support/github-schemas/checked-by-import.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const WORDS = [resolve('bin/issuewright.js'), 'demo'];

/** An empty folder, or one with a file of settings, and how the demo is started there. */
function folder(settings?: string) {
  const directory = temporaryDirectory();
  if (settings !== undefined) writeFileSync(join(directory, '.env'), settings);
  const env = { PATH: process.env['PATH'] ?? '', TMPDIR: directory };
  return { cwd: directory, env };
}

const filesIn = (directory: string, pattern: string): string[] =>
  globSync(`issuewright-demo-*/${pattern}`, { cwd: directory });

/** A process that has ended is a zombie until its parent asks for it. */
function stateOf(pid: string): string {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 'gone';
  return /\) (\w)/.exec(readFileSync(file, 'utf8'))?.[1] ?? 'gone';
}

describe('the demo', () => {
  it('plays a story to its merge whatever settings the folder has, and ends', async () => {
    const other =
      'MODEL=openai:scripted\nOPENAI_API_KEY=none\nOPENAI_BASE_URL=http://127.0.0.1:9/v1\n';
    const { cwd, env } = folder(
      `${other}PRIVATE_KEY_PATH=nothing.pem\nMODEL_CATALOG=nothing.json\n`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, WORDS, {
      cwd,
      env: { ...env, ...checkedByImport() },
    });
    expect(stdout).toMatch(/^Starting a GitHub/);
    expect(stdout).toMatch(/An issue became a merged pull request in \d+\.\d s\./);
    expect(stdout).not.toMatch(/Pull request +http/);
    expect(stdout).toMatch(
      /not a terminal, so the demo ends here, and the links above no longer open\. .*\n$/,
    );
    const next = /Next, on your GitHub: (.*)/.exec(stdout)?.[1] ?? '';
    expect(readFileSync(resolve(cwd, next), 'utf8')).toBe(readFileSync('docs/setup.md', 'utf8'));
  });

  it('costs nothing with its script', async () => {
    const { cwd, env } = folder();
    const demo = spawn(process.execPath, [...WORDS, '--interactive'], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(demo, 'close');
    let said = '';
    const until = async (words: RegExp): Promise<string> => {
      for (;;) {
        const found = words.exec(said)?.[1];
        if (found !== undefined) return found;
        await Promise.race([once(demo.stdout, 'data'), ended]);
        if (demo.exitCode !== null) throw new Error(said);
      }
    };
    demo.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const issue = new URL(await until(/add the label `issuewright`\s+(http\S+)\n/));
    const [, owner, name, , number] = issue.pathname.split('/');
    await fetch(`${issue.origin}/ui/${owner}/${name}/${number}/label`, {
      method: 'POST',
      headers: { origin: issue.origin },
      body: new URLSearchParams({ as: SAMPLE.maintainer, label: SAMPLE.label }),
    });
    await until(/your turn: (reply) to it/);
    const link = new URL(await until(/Sessions +(http\S+)\n/));
    const headers = { authorization: `Bearer ${link.searchParams.get('token')}` };
    const read = async (path: string) => (await fetch(new URL(path, link), { headers })).text();
    const list = await read('/sessions');
    const page = await read(/href="(\/sessions\/[^"?#]+)"/.exec(list)?.[1] ?? '');
    demo.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(page).toMatch(/\$0\.00 of \$/);
    expect(list + page).not.toContain('price unknown');
  });

  it.each([
    ['openai:gpt-5.4', 'needs OPENAI_API_KEY, missing or invalid here'],
    ['openia:gpt-5.4', 'names a provider that does not exist'],
  ])(
    'says why it does not use MODEL=%s, and what to do if TMPDIR cannot be used',
    async (model, why) => {
      const { cwd, env } = folder();
      const none = join(cwd, 'none');
      const failing = { ...env, MODEL: model, TMPDIR: none };
      const failed = await promisify(execFile)(process.execPath, WORDS, { cwd, env: failing }).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failed).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(`MODEL is set, but ${why}: a script plays the model.\n`),
        stderr: `demo: The directory for temporary files ${none} cannot be used: no such file or directory (ENOENT). Set TMPDIR to a directory in which you may create files.\n`,
      });
    },
  );

  it('removes its data only once PostgreSQL has ended, if its process group gets a signal', async () => {
    const { cwd, env } = folder();
    const demo = spawn(process.execPath, WORDS, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    const begun = new Promise<void>((resolved) => {
      demo.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (/Sessions +http/.test(said)) resolved();
      });
    });
    let complained = '';
    demo.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()));
    const ended = once(demo, 'close');
    await Promise.race([begun, ended]);
    const [file = ''] = filesIn(cwd, 'data/postgres/postmaster.pid');
    const [pid = ''] = readFileSync(join(cwd, file), 'utf8').split('\n');
    process.kill(-(demo.pid ?? Number.NaN), 'SIGTERM');
    expect([await ended, complained]).toEqual([[0, null], '']);
    expect(filesIn(cwd, 'data')).toEqual([]);
    expect(stateOf(pid)).toMatch(/^(?:gone|Z)$/);
  });

  it('says in a sentence why it failed, and where the log is', async () => {
    const { cwd, env } = folder();
    const failing = { ...env, AGENT_MAX_TOKENS: 'many' };
    const failed = await promisify(execFile)(process.execPath, WORDS, { cwd, env: failing }).then(
      () => undefined,
      (error: unknown) => error as { readonly code: number; readonly stdout: string },
    );
    expect(failed?.code).toBe(1);
    const said = /\nThe demo stopped: (.*)\nThe log of the service: (.*)\n$/.exec(
      failed?.stdout ?? '',
    );
    expect(said?.[1]).toBe('the service did not start: it ended with 1');
    expect(readFileSync(said?.[2] ?? '', 'utf8')).toContain('AGENT_MAX_TOKENS');
  });
});
