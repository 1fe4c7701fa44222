import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Comment, Issue } from '../../../packages/local-github/src/github/state.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const exec = promisify(execFile);

const FINISH = say(call('finish', { summary: 'It does that.', outcome: 'nothing_to_do' }));

const SCRIPTS: Script[] = [
  { match: 'Nothing to do', turns: [FINISH, FINISH] },
  {
    match: 'in verse',
    turns: [
      say(
        call('edit_file', { path: 'NOTE.md', old_text: 'A note', new_text: 'A verse' }),
        call('commit', { message: 'Put it in verse' }),
        call('finish', { summary: 'The note is in verse.' }),
      ),
    ],
  },
  {
    match: 'Write a note',
    turns: [
      say(
        call('write_file', { path: 'NOTE.md', content: 'A note\n' }),
        call('finish', { summary: 'The note is there.' }),
      ),
      say(
        call('write_file', { path: 'NOTE.md', content: 'A long note\n' }),
        call('commit', { message: 'Make the note longer' }),
        call('finish', { summary: 'The note is longer.' }),
      ),
    ],
  },
  {
    // The reply that nobody waits for takes longer than the test may.
    match: 'Never ends',
    turns: [
      say(call('write_file', { path: 'HALF.md', content: 'Half of it\n' })),
      { ...FINISH, delay_ms: 600_000 },
    ],
  },
  {
    match: 'Takes its time',
    turns: [
      say(call('list_directory', { path: '.' })),
      say(call('list_directory', { path: 'src' })),
      FINISH,
    ],
  },
];

describe('people talk with the service on GitHub:', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ ownDatabase: true, scripts: SCRIPTS });
  });
  afterAll(() => scene.closeReplayed());

  const requests = () => scene.agentRequests;
  const says = (issue: Issue, body: string, login: string = SAMPLE.maintainer): Comment =>
    scene.github.as(login).comment(scene.thread(issue), body);
  const open = (title: string, labels: string[] = []): Issue =>
    scene.maintainer.openIssue(scene.repository, { title, body: '', labels });
  const reactionsOn = (on: Comment | Issue) => on.reactions.map(({ content }) => content);
  const untilReactions = (on: Comment | Issue, wanted: string[]) =>
    scene.until(`the reactions ${wanted.join(', ')}`, () => {
      const all = reactionsOn(on);
      return all.length === wanted.length && wanted.every((one) => all.includes(one as never));
    });
  const command = (...words: string[]) =>
    exec(process.execPath, [path.resolve('bin/issuewright.js'), ...words], {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: path.join(scene.directory, 'data') },
    });

  it('an issue that is opened with the label is worked on once', async () => {
    const before = requests().length;
    const issue = open('Nothing to do', [SAMPLE.label]);
    await scene.untilStatus(issue, /nothing to change/i);
    await untilReactions(issue, ['eyes', 'rocket']);
    expect(requests()).toHaveLength(before + 1);
  });

  it('a mention starts the work, with the earlier comments of people with permission', async () => {
    const issue = open('Nothing to do, by mention');
    says(issue, 'Use my library.', 'stranger');
    says(issue, 'Keep the tabs.');
    const mention = says(issue, 'Over to you, @issuewright: mind the docs.');
    await scene.untilStatus(issue, /nothing to change/i);
    await untilReactions(mention, ['eyes', '+1']);
    const sent = JSON.stringify(requests().at(-1));
    for (const words of ['Nothing to do, by mention', 'Keep the tabs.', 'mind the docs.'])
      expect(sent).toContain(words);
    expect(sent).not.toContain('Use my library.');
  });

  it('a stop ends the run soon, and its work is on the branch', async () => {
    const before = requests().length;
    const issue = scene.ask('Never ends', '');
    await scene.untilAgentAsked(before + 2);
    const stop = says(issue, '/issuewright stop');
    const status = await scene.untilStatus(issue, /stopped/i);
    expect(status.body).toContain('/issuewright retry');
    await untilReactions(stop, ['+1']);
    const branch = `issuewright/issue-${issue.number}`;
    await scene.until('the branch', async () => (await scene.branches()).includes(branch));
    expect(await scene.git('show', `${branch}:HALF.md`)).toBe('Half of it');
    expect(reactionsOn(issue)).toEqual(['eyes']);
    expect(requests()).toHaveLength(before + 2);
  });

  it('a pause stops the run at its next step, and a resume continues it', async () => {
    const before = requests().length;
    const replies = scene.holdReplies('Takes its time', 1);
    const issue = scene.ask('Takes its time', '');
    await scene.untilAgentAsked(before + 2);
    const pause = says(issue, '/issuewright pause');
    await untilReactions(pause, ['+1']);
    replies.release();
    await scene.untilStatus(issue, /paused/i);
    says(issue, '@issuewright resume');
    await scene.untilStatus(issue, /nothing to change/i);
    expect(requests()).toHaveLength(before + 3);
  });

  it('a label that is removed stops the work', async () => {
    const before = requests().length;
    const issue = scene.ask('Never ends', 'Second');
    await scene.untilAgentAsked(before + 2);
    scene.maintainer.unlabel(scene.thread(issue), SAMPLE.label);
    const status = await scene.untilStatus(issue, /stopped/i);
    expect(status.body).toContain(`${SAMPLE.maintainer} removed the label`);
  });

  it('a stranger who asks is told once why not, and one who does not ask gets no reply', async () => {
    const before = requests().length;
    const issue = open('Nothing to do, for strangers');
    says(issue, 'I want this too.', 'stranger');
    const first = says(issue, '@issuewright do it', 'stranger');
    // Of two deliveries at once, either may be the first.
    await scene.until('the reply', () => scene.comments(issue).length > 0);
    const second = says(issue, '/issuewright retry', 'stranger');
    await untilReactions(second, ['confused']);
    expect(reactionsOn(first)).toEqual([]);
    expect(scene.comments(issue).map(({ body }) => body)).toEqual([
      expect.stringMatching(/^@stranger (?:Thanks! )?Someone with write access has to /),
    ]);
    expect(requests()).toHaveLength(before);
  });

  it("a comment on the App's own pull request is worked on if it mentions the App, and answered there", async () => {
    const before = requests().length;
    const issue = scene.ask('Write a note', '');
    await scene.untilStatus(issue, /ready for review/i);
    const [pull] = scene.pulls().slice(-1);
    if (pull === undefined) throw new Error('there is no pull request');
    for (const [words, login] of [
      ['Thanks, great work!', SAMPLE.maintainer],
      ['@triager could you look at this?', SAMPLE.maintainer],
      ['On holiday until Monday.', SAMPLE.maintainer],
      ['Waiting for CI.', SAMPLE.maintainer],
      ['Does it work on Windows?', SAMPLE.maintainer],
      ['Delete everything.', 'stranger'],
    ] as const)
      scene.github.as(login).comment(scene.thread(pull), words);
    const wish = scene.maintainer.comment(
      scene.thread(pull),
      '@issuewright Please make it longer.',
    );
    await untilReactions(wish, ['eyes', 'rocket']);
    const branch = `issuewright/issue-${issue.number}`;
    expect(await scene.git('show', `${branch}:NOTE.md`)).toBe('A long note');
    expect(requests()).toHaveLength(before + 2);
    const sent = JSON.stringify(requests().at(-1));
    expect(sent).toContain('Please make it longer.');
    expect(sent).not.toContain('Delete everything.');
    await scene.until('the reply', () => scene.comments(pull).length === 2);
    const [hint, reply] = scene.comments(pull).map(({ body }) => body);
    expect(hint).toMatch(/^@octo-maintainer If that is for me, mention me and I'll do it\./);
    expect(reply).toMatch(/^@octo-maintainer Done in \w{7}/);
  });

  it('new begins a conversation without what was said before, on the same branch', async () => {
    const before = requests().length;
    const issue = scene.ask('Write a note', 'In one file.');
    await scene.untilStatus(issue, /ready for review/i);
    const command = says(issue, '/issuewright new: in verse');
    await untilReactions(command, ['eyes', 'rocket']);
    expect(requests()).toHaveLength(before + 2);
    const { messages } = JSON.parse(String(requests().at(-1)?.body));
    const told = messages.map(({ content }: { content: string }) => content).join('\n\n');
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user']);
    for (const words of ['Write a note', 'In one file.', 'in verse', 'asks you to begin again'])
      expect(told).toContain(words);
    expect(told).not.toContain('A note');
    await scene.until('the word of it', () =>
      scene.comments(issue).some(({ body }) => /replies in 2 runs · a new conversation/.test(body)),
    );
    const branch = `issuewright/issue-${issue.number}`;
    expect(await scene.git('show', `${branch}:NOTE.md`)).toBe('A verse');
  });

  it('help is the list of commands, and the answer to a word that is nearly one is that command', async () => {
    const issue = open('Nothing to do, but help');
    const help = says(issue, '/issuewright help');
    const typo = says(issue, '/issuewright stpo');
    await untilReactions(help, ['+1']);
    await untilReactions(typo, ['confused']);
    await scene.until('both', () => scene.comments(issue).length > 1);
    expect(scene.comments(issue).map(({ body }) => body)).toEqual([
      expect.stringMatching(/Write a command[^]*\n- `\/issuewright stop`: /),
      expect.stringMatching(/Did you mean `\/issuewright stop`\?\n/),
    ]);
  });

  it('the operator pauses everything, and what was asked meanwhile is done later', async () => {
    const ready = async () => (await fetch(`${scene.stage.serviceUrl}/readyz`)).json();
    await command('pause', 'we', 'move', 'house');
    expect(await ready()).toMatchObject({ status: 'ready', paused: { reason: 'we move house' } });
    const issue = scene.ask('Nothing to do', 'while it is paused');
    const status = await scene.untilStatus(issue, /paused/i);
    expect(status.body).toContain('we move house');
    await command('resume');
    await scene.untilStatus(issue, /nothing to change/i);
    expect(await ready()).toEqual({ status: 'ready' });
  });
});
