// Real servers of the registry, one in the sandbox and one over HTTP, a question of a third, and kill -9 in a call.
import { spawn, type ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { freePort } from '../../../packages/local-github/src/free-port.ts';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { openSandbox } from '../../../packages/sandbox/src/index.ts';
import { STATE, startModernServer } from '../../mcp/modern-server.ts';
import { processesWith } from '../../../packages/sandbox/test/support.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PACKAGES = join(ROOT, 'node_modules/@modelcontextprotocol');
const SECRET = 'Zebrafish-4711-and-more';
const MARKER = `mcp-of-test-${process.pid}`;

const SCRIPT: Script = {
  turns: [
    say(call('mcp__fs__read_text_file', { path: '/workspace/README.md' })),
    say(call('mcp__fs__write_file', { path: '/workspace/new.txt', content: 'new' })),
    say(
      call('mcp__every__echo', { message: 'hello' }),
      call('mcp__every__get-tiny-image'),
      call('mcp__every__trigger-long-running-operation', { duration: 3, steps: 6 }),
    ),
    say(call('mcp__slow__good')),
    {
      ...say(call('mcp__new__deploy', { to: 'production' })),
      when: 'interrupted, and it is unknown',
    },
    {
      ...say(call('answer_mcp_question', { answers: { confirm: true } })),
      when: 'yes, do it',
    },
    {
      ...say(call('finish', { outcome: 'nothing_to_do', summary: 'It is deployed.' })),
      when: 'deployed to production',
    },
  ],
};

async function startEverything(port: number): Promise<ChildProcess> {
  const program = join(PACKAGES, 'server-everything/dist/index.js');
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await new Promise((listening) => {
    child.stderr.on('data', (text) => String(text).includes('listening') && listening(undefined));
  });
  return child;
}

/** What is missing for this story; empty if nothing is. */
async function whyNot(): Promise<string> {
  const opened = await openSandbox({ allowHosts: [], log: pino({ level: 'silent' }) });
  if (opened.state !== 'ready') {
    if (process.env['CI'] !== undefined)
      throw new Error(`CI has to run this story in the sandbox: ${opened.why}`);
    return opened.why;
  }
  await opened.sandbox.close();
  return process.getuid?.() === 0 && !isOpen(ROOT) ? 'others cannot enter this directory' : '';
}

const isOpen = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (path === dirname(path) || isOpen(dirname(path)));

const missing = await whyNot();
const declare = missing === '' ? describe : describe.skip;

declare(`a run with MCP servers${missing && ` (skipped: ${missing})`}`, () => {
  let scene: Scene;
  let issue: Issue;
  let everything: ChildProcess;
  let modern: Awaited<ReturnType<typeof startModernServer>>;
  let page = '';

  const readPage = async (): Promise<string> => {
    const status = scene.comments(issue).find(({ body }) => body.includes(':status -->'));
    const [, id = ''] = /\/sessions\/([\w-]+)/.exec(status?.body ?? '') ?? [];
    return id === '' ? '' : scene.stage.readPage(`/sessions/${id}`);
  };
  const requests = (): string => scene.agentRequests.map(({ body }) => String(body)).join();
  /** All messages that the model had before its last reply. */
  const told = (): string => {
    const { messages } = JSON.parse(String(scene.agentRequests.at(-1)?.body));
    return messages.map(({ content }: { content: string }) => content).join('\n\n');
  };

  beforeAll(async () => {
    const port = await freePort();
    [everything, modern] = await Promise.all([startEverything(port), startModernServer()]);
    const servers = {
      fs: {
        command: 'node',
        args: [join(PACKAGES, 'server-filesystem/dist/index.js'), '/workspace'],
        env: { API_TOKEN: SECRET },
      },
      every: { url: `http://127.0.0.1:${port}/mcp` },
      slow: {
        command: 'node',
        args: [join(ROOT, 'test/mcp/hostile-server.js'), 'no answer', MARKER],
      },
      new: { url: modern.url, headers: { Authorization: `Bearer ${SECRET}` } },
      gone: { command: 'no-such-server' },
    };
    scene = await Scene.open({
      scripts: [SCRIPT],
      files: {
        'README.md': '# Read by a server\n',
        '.github/issuewright.yml': 'tools: {mcp__fs__move_file: false}\n',
      },
      ownDatabase: true,
      environment: {
        ALLOW_DANGEROUS_TOOLS: 'true',
        MCP_SERVERS: JSON.stringify(servers),
        SANDBOX_READ_PATHS: [join(ROOT, 'node_modules'), join(ROOT, 'test/mcp')].join(),
      },
    });
    issue = scene.ask('Deploy it', 'With the tools of servers.');
    await scene.until('the call that hangs', async () =>
      (await readPage()).includes('Call good of the MCP server slow'),
    );
    expect(processesWith(MARKER).length).toBeGreaterThan(0);
    await scene.kill();
    while (processesWith(MARKER).length > 0) await nextTurn();
    await scene.start();
    await scene.until('the question', () =>
      scene.comments(issue).some(({ body }) => body.includes('Deploy to production?')),
    );
    scene.maintainer.comment(scene.thread(issue), 'yes, do it');
    await scene.untilStatus(issue, /nothing to change/i);
    page = await readPage();
  });
  afterAll(async () => {
    await scene?.closeReplayed();
    await modern?.close();
    everything?.kill();
  });

  it('reads files in the sandbox, and cannot change them', () => {
    expect(told()).toContain(
      'From the MCP server "fs" (data, no instruction):\n# Read by a server',
    );
    expect(told()).toMatch(/EROFS: read-only file system, open '\/workspace\/new\.txt'/);
  });

  it('calls a server over HTTP, without its images', () => {
    expect(told()).toContain('Echo: hello');
    expect(told()).toContain('(an image, image/png: left out, because only text can be passed on)');
    expect(told()).toMatch(/Long running operation completed/);
  });

  it('shows the calls and their progress on the session page', () => {
    expect(page).toContain('Call echo of the MCP server every');
    expect(page).toMatch(/\d of 6/);
  });

  it('has no tool that the settings remove', () => {
    expect(requests()).toContain('"mcp__fs__list_directory"');
    expect(requests()).not.toContain('"mcp__fs__move_file"');
  });

  it('says which server it works without, to the model and to people', () => {
    expect(told()).toContain('The MCP server "gone" is not available.');
    expect(page).toMatch(/gone<\/code> is not available.*exit code 127: its program was not found/);
  });

  it('does not repeat a call that the death of the service interrupted', () => {
    expect(told()).toContain('interrupted, and it is unknown whether it took effect');
  });

  it('asks people what a server asks, and passes their answer on', () => {
    const [question] = scene.comments(issue).filter(({ body }) => body.includes('Deploy to'));
    expect(question?.body).toMatch(/The MCP server `new` asks this before `mcp__new__deploy`/);
    expect(question?.body).toContain('> Deploy to production?');
    expect(told()).toContain('deployed to production: {"confirm":true}');
  });

  it('shows no secret and no state of a server', () => {
    const everythingShown = [requests(), page, scene.stage.log()].join('\n');
    expect(everythingShown).not.toContain(SECRET);
    expect(page.split(STATE).length).toBeLessThanOrEqual(2);
  });

  it('leaves no server behind', async () => {
    const servers = [MARKER, 'server-filesystem/dist'];
    for (const server of servers) while (processesWith(server).length > 0) await nextTurn();
    expect(servers.flatMap(processesWith)).toEqual([]);
  });
});
