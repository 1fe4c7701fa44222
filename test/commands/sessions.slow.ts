// The operator's commands over sessions: beside a service with its own database, and without one.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { Scene } from '../e2e/scene.ts';
import { runProgram } from '../support/run-program.ts';

const call = (tool_name: string, args: Record<string, unknown>) => ({
  say: { plan: 'as scripted', tool_calls: [{ tool_name, arguments: args }] },
});
const WRITE = call('write_file', { path: 'HALF.md', content: 'Half of it \u001B]0;owned\u0007' });
const READ = call('read_file', { path: 'nowhere.md' });
const FINISH = call('finish', { summary: 'It does.', outcome: 'nothing_to_do' });

const SCRIPTS: Script[] = [
  { match: 'Stop it', turns: [WRITE, FINISH, FINISH] },
  { match: 'Look at', turns: [READ, WRITE, { ...FINISH, delay_ms: 1_500 }] },
];

/** Acts on a terminal: it sets colours, its title, and the direction of what follows. */
const HOSTILE = 'Look at \u001B[31mred\u001B[0m \u009B31m \u202Eevil\u202C this';
// oxlint-disable-next-line no-control-regex -- these are what must not come through
const ACTS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

describe('the operator looks at sessions, and changes them', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ scripts: SCRIPTS, ownDatabase: true });
  });
  afterAll(() => scene.close());

  const how = () => ({
    environment: { PATH: process.env['PATH'] ?? '', DATA_DIR: path.join(scene.directory, 'data') },
    directory: scene.directory,
  });
  const issuewright = (...words: readonly string[]) => runProgram(words, how());

  /** Its lines, as they come. */
  function follow(session: string) {
    const words = [path.resolve('bin/issuewright.js'), 'show', session, '--follow'];
    const { environment: env, directory: cwd } = how();
    const child = spawn(process.execPath, words, { env, cwd });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { lines, ended };
  }

  it('stops the work of a session at once, says so on the issue, and starts it again', async () => {
    const replies = scene.holdReplies('Stop it', 1);
    const issue = scene.ask('Stop it', '');
    const place = `${SAMPLE.owner}/${SAMPLE.name}#${issue.number}`;
    await scene.untilAgentAsked(2);
    const stopped = await issuewright('stop', place);
    expect(stopped).toMatchObject({ code: 0, stderr: '' });
    expect(stopped.stdout).toMatch(/^Session \w{12} \(.*\) stops\.\n$/);
    await scene.untilStatus(issue, /stopped.*the operator of this service asked to stop/i);
    await scene.until('the comment', () =>
      scene.comments(issue).some(({ body }) => body.includes('operator of this service stopped')),
    );
    expect(await issuewright('stop', place)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing was done\. .* is stopped\.\n$/),
    });
    const [session] = JSON.parse((await issuewright('sessions', '--json')).stdout);
    replies.release();
    expect(await issuewright('retry', session.id.slice(0, 6))).toMatchObject({ code: 0 });
    await scene.untilStatus(issue, /ready for review/i);
    expect(JSON.stringify(scene.agentRequests.at(-1))).toContain(
      'The operator of this service asks to try again',
    );
    expect(await issuewright('retry', session.id)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/Nothing was done\. .* waits for a review\./),
    });
    const said = scene.comments(issue).filter(({ body }) => body.includes('operator of this'));
    expect(said.map(({ body }) => /(stopped the work|started the work)/.exec(body)?.[0])).toEqual(
      expect.arrayContaining(['stopped the work', 'started the work']),
    );
  });

  it('follows a session until it ends, and lets nothing that others wrote act on the terminal', async () => {
    const issue = scene.ask(HOSTILE, 'See \u001B[2J the \u202Eissue.');
    const address = `https://github.com/${SAMPLE.owner}/${SAMPLE.name}/issues/${issue.number}`;
    await scene.untilAgentAsked(scene.agentRequests.length + 1);
    const { lines, ended } = follow(address);
    expect(await ended).toBe(0);
    const shown = lines.join('\n');
    expect(shown).not.toMatch(ACTS);
    expect(shown).toContain('⟨U+001B⟩[2J');
    expect(shown).toMatch(/Run 1 started[^]*Reply 1[^]*read_file[^]*failed[^]*Run 1 finished/);
    const listed = await issuewright('sessions', '--search', 'Look at');
    expect(listed.stdout).not.toMatch(ACTS);
    expect(listed.stdout.trimEnd().split('\n')).toHaveLength(2);
    const journal = await issuewright('show', '--json', address);
    expect(journal.stdout).not.toMatch(ACTS);
    const entries = journal.stdout.trimEnd().split('\n');
    expect(entries.map((line) => JSON.parse(line).seq)).toEqual(entries.map((_line, at) => at + 1));
    expect((await issuewright('show', '--full', address)).stdout).toMatch(/HALF\.md[^]*Half of it/);
  });

  it('replays a session, says what would be different, and asks another model', async () => {
    const [{ id }] = JSON.parse((await issuewright('sessions', '--json')).stdout);
    expect(await issuewright('replay', id)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Replayed \d+ steps of 1 run of session \w+: all are the same\.\n$/,
      ),
    });
    const replayed = JSON.parse((await issuewright('replay', id, '--json')).stdout);
    expect(replayed).toMatchObject({ session: id, same: true, differences: [] });
    const server = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${scene.stage.model.url}/v1` };
    const environment = { ...how().environment, ...server };
    const words = ['replay', id, '--model', 'openai:other', '--from', '2', '--turns', '1'];
    const other = await runProgram(words, { ...how(), environment });
    expect(other).toMatchObject({ code: 0, stderr: '' });
    expect(other.stdout).toMatch(/^Turn 2[^]*openai:other replied the same in \d of 1 turn/);
    const keyless = await issuewright(...words);
    expect(keyless).toMatchObject({ code: 1, stderr: expect.stringContaining('OPENAI_API_KEY') });
  });

  it('reads the database of a service that does not run, and remembers what is asked', async () => {
    const all = JSON.parse((await issuewright('sessions', '--json')).stdout);
    expect(all).toHaveLength(2);
    expect(await scene.stop()).toBe(0);
    const { stdout } = await issuewright('sessions', '--state', 'waiting-review');
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stdout.match(/ {2}Ready for review: #\d+$/gm)).toHaveLength(2);
    expect(all[0].outcome).toMatch(/^Ready for review: #\d+$/);
    expect(await issuewright('show', all[0].id, '--follow')).toMatchObject({ code: 0 });
    expect(await issuewright('show', 'nothing#7')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No session matches'),
    });
    expect(await issuewright('show', 'zzzzzzzzzzzz')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no session zzzzzzzzzzzz'),
    });
  });

  it('says who did what, and erases only sessions that are over', async () => {
    const linesOf = ({ stdout }: { readonly stdout: string }) =>
      stdout
        .trimEnd()
        .split('\n')
        .map((line): Record<string, unknown> => JSON.parse(line));
    const deeds = linesOf(await issuewright('audit', '--since', '2026-01-01'));
    expect(deeds.map(({ did }) => did)).toEqual(
      expect.arrayContaining(['requested', 'stopped', 'requested']),
    );
    expect(deeds.filter(({ did }) => did === 'stopped')).toMatchObject([
      { login: 'the operator', command: 'stop', dollars: 0 },
    ]);
    // The price of this model is not known.
    expect(deeds.filter(({ dollars }) => dollars === null)).not.toEqual([]);
    const { login } = deeds.find(({ did, id }) => did === 'requested' && id !== 0) ?? {};
    const erased = await issuewright('audit', '--erase', String(login));
    expect(erased).toMatchObject({ code: 1, stderr: '' });
    expect(linesOf(erased).map(({ outcome, state }) => [outcome, state])).toEqual([
      ['left', 'waiting-review'],
      ['left', 'waiting-review'],
    ]);
    expect(JSON.parse((await issuewright('sessions', '--json')).stdout)).toHaveLength(2);
  });
});
