import { describe, expect, it } from '@jest/globals';
import { TellModel, TellPerson } from '../../src/lib/errors.ts';
import { gitContract } from '../contract/git.ts';
import { bench } from './support.ts';

gitContract('the git in memory', async () => {
  const { files, git } = await bench({ 'README.md': 'Sample\n' });
  return {
    files,
    git,
    refusePushes: (words) => (git.refusal = words),
    close: async () => {},
  };
});

describe('commit', () => {
  it('reports the commit with its files', async () => {
    const { call, git } = await bench({ 'a.txt': '1' });
    await call('write_file', { path: 'b.txt', content: '2' });
    const { output, effects, halt } = await call('git_commit', { message: ' Add b ' });
    const [done] = git.commits;
    expect(output).toBe(`Committed and pushed ${done?.sha.slice(0, 10)} with 1 file:\nadded b.txt`);
    expect(effects).toEqual([
      { type: 'commit', sha: done?.sha, message: 'Add b', files: done?.files },
    ]);
    expect(halt).toBeUndefined();
  });

  it('says that nothing changed, without an effect', async () => {
    const { call } = await bench();
    const { output, effects } = await call('commit', { message: 'x' });
    expect(output).toBe('Nothing has changed since the last commit.');
    expect(effects ?? []).toEqual([]);
  });
});

describe('create_pull_request', () => {
  it('needs a commit first', async () => {
    const { call } = await bench();
    await call('write_file', { path: 'a', content: '' });
    await expect(call('create_pull_request', { title: 'x' })).rejects.toBeInstanceOf(TellModel);
  });

  it('opens a draft once, and names the one that is open after that', async () => {
    const { call, hub } = await bench();
    await call('write_file', { path: 'a', content: '' });
    await call('commit', { message: 'x' });
    expect(await call('create_pull_request', { title: 'Title', body: 'Body' })).toEqual({
      output: 'Opened pull request #7 as a draft: https://github.test/7',
      effects: [
        {
          type: 'pull_request',
          number: 7,
          url: 'https://github.test/7',
          title: 'Title',
          said: 'Body',
        },
      ],
    });
    expect(hub.pullRequest?.draft).toBe(true);
    const again = await call('create_pull_request', { title: 'Other' });
    expect(again.output).toContain('Pull request #7 is open already');
    expect(again.effects).toBeUndefined();
  });

  it('finds the one that was opened before a crash', async () => {
    const { call, hub } = await bench();
    await call('write_file', { path: 'a', content: '' });
    await call('commit', { message: 'x' });
    await call('create_pull_request', { title: 'Title' });
    hub.isJournaled = false;
    const again = await call('create_pull_request', { title: 'Title' });
    expect(again.effects).toMatchObject([{ type: 'pull_request', number: 7 }]);
  });
});

describe('update_plan', () => {
  it('sets the plan, with ids as strings', async () => {
    const { call } = await bench();
    const items = [
      { id: 1, title: ' Read ', done: true },
      { id: 'b', title: 'Write' },
    ];
    expect((await call('update_plan', { items })).effects).toEqual([
      {
        type: 'plan',
        items: [
          { id: '1', title: 'Read', done: true },
          { id: 'b', title: 'Write', done: false },
        ],
      },
    ]);
  });

  it('refuses two items with one id, none, and too many', async () => {
    const { call } = await bench();
    const plan = async (ids: (string | number)[]) =>
      call('update_plan', { items: ids.map((id) => ({ id, title: 'x' })) });
    await expect(plan([1, '1'])).rejects.toThrow('the same id');
    await expect(plan([])).rejects.toBeInstanceOf(TellModel);
    await expect(plan(Array.from({ length: 51 }, (_, id) => id))).rejects.toBeInstanceOf(TellModel);
  });
});

describe('ask_question', () => {
  it('ends the run with the question', async () => {
    const { call } = await bench();
    const { effects, halt } = await call('ask_question', { question_text: ' Which one? ' });
    expect(effects).toEqual([{ type: 'question', text: 'Which one?' }]);
    expect(halt).toBe('asked');
  });
});

describe('finish', () => {
  it('without any change opens nothing, whatever the model says', async () => {
    const { call, hub } = await bench();
    const { effects, halt } = await call('finish', { message: 'All is well', outcome: 'done' });
    expect(effects).toEqual([{ type: 'finish', outcome: 'nothing_to_do', summary: 'All is well' }]);
    expect(halt).toBe('finished');
    expect(hub.pullRequest).toBeUndefined();
  });

  it('commits what is left, opens the pull request and marks it ready', async () => {
    const { call, hub } = await bench();
    await call('write_file', { path: 'a.txt', content: '' });
    const { effects } = await call('finish', {
      summary: '## Add a\n\nBecause.',
      outcome: 'nothing_to_do',
    });
    expect(effects).toMatchObject([
      { type: 'commit', message: 'Add a', files: [{ path: 'a.txt' }] },
      { type: 'pull_request', number: 7, title: 'Add a', said: '## Add a\n\nBecause.' },
      { type: 'finish', outcome: 'done' },
    ]);
    expect(hub.pullRequest).toMatchObject({ title: 'Add a', draft: false });
  });

  it('uses the pull request that is open', async () => {
    const { call, hub } = await bench();
    await call('write_file', { path: 'a.txt', content: '' });
    await call('commit', { message: 'x' });
    await call('create_pull_request', { title: 'Title' });
    const { effects } = await call('finish', { summary: 'Done' });
    expect(effects).toEqual([{ type: 'finish', outcome: 'done', summary: 'Done' }]);
    expect(hub.pullRequest).toMatchObject({ title: 'Title', draft: false });
  });

  it('leaves what could not be done a draft', async () => {
    const { call, hub } = await bench();
    await call('write_file', { path: 'a.txt', content: '' });
    const { effects } = await call('finish', { summary: 'No way', outcome: 'cannot' });
    expect(effects?.at(-1)).toEqual({ type: 'finish', outcome: 'cannot', summary: 'No way' });
    expect(hub.pullRequest?.draft).toBe(true);
  });

  it('lets a refused push end the run', async () => {
    const { call, git } = await bench();
    git.refusal = 'protected';
    await call('write_file', { path: 'a.txt', content: '' });
    await expect(call('finish', { summary: 'Done' })).rejects.toBeInstanceOf(TellPerson);
  });
});
