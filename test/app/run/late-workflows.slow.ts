// Workflow files of the base branch that change while a session works: GitHub then takes its commits only with the new ones.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FileChanges } from '../../../packages/local-github/src/github/git/repository.ts';
import { json } from '../../agent/support.ts';
import { nativeGit } from '../../support/git-server.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const CI = '.github/workflows/ci.yml';
const FILES = { [CI]: 'version: 0\n', 'a.txt': 'a\n', 'b.txt': 'b\n', 'old.txt': 'old\n' };
const write = (path: string, content: string) => json(['write_file', { path, content }]);
const commit = json(['commit', { message: 'Begin' }]);
const finish = json(['finish', { summary: 'It is done.' }]);

let version = 0;

type Session = Awaited<ReturnType<Service['start']>>;

const scene = (service: Service) => {
  const { repository, github } = service;
  const git = (...args: string[]) => nativeGit(repository.git.directory, ...args);
  return {
    git,
    /** People change the workflow file, and others. */
    change: (more: FileChanges = {}) =>
      github.as('maintainer').push(repository, {
        branch: 'main',
        message: 'Update CI',
        files: { [CI]: `version: ${(version += 1)}\n`, ...more },
      }),
    branchOf: async (session: Session) => `issuewright/issue-${(await session.row())?.issue}`,
    /** What a pull request from the branch shows. */
    changedBy: (branch: string) =>
      git('diff', '--name-only', `main...${branch}`)
        .split('\n')
        .filter((one) => one !== ''),
  };
};

const endOf = async (session: Session) =>
  entriesOf(await session.journal(), 'run_ended').at(-1)?.end;
const outputs = async (session: Session) =>
  entriesOf(await session.journal(), 'call_finished').map(({ output }) => output);

describe.each(['auto', 'verified', 'push'])('with commits.publish: %s, a first push', (publish) => {
  let service: Service;
  let on: ReturnType<typeof scene>;
  beforeAll(async () => {
    const settings = { '.github/issuewright.yml': `commits:\n  publish: ${publish}\n` };
    service = await openService({ ...FILES, ...settings });
    on = scene(service);
  });
  afterAll(() => service.close());

  it('is on top of the base branch whose workflow file changed since the clone', async () => {
    const session = await service.start('Changed');
    service.model.says(write('a.txt', 'ours\n'), async () => {
      await on.change({ 'b.txt': 'theirs\n' });
      return finish;
    });
    await session.advance();
    expect(await endOf(session)).toMatchObject({ kind: 'finished' });
    const branch = await on.branchOf(session);
    expect(on.git('rev-parse', `${branch}^`)).toBe(on.git('rev-parse', 'main'));
    expect(on.changedBy(branch)).toEqual(['a.txt']);
    const signed = on.git('log', '-1', '--format=%cn', branch) === 'GitHub';
    expect(signed).toBe(publish !== 'push');
    expect(on.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('is on top of the base branch whose workflow file changed while it waited for an answer', async () => {
    const session = await service.start('Asked');
    service.model.says(
      write('a.txt', `asked ${publish}\n`),
      json(['ask_question', { question: 'Which one?' }]),
    );
    await session.advance();
    await on.change();
    await on.change({ 'c.txt': 'new\n' });
    await session.comment('maintainer', 'The first one.');
    service.model.says(finish);
    await session.advance();
    expect(await endOf(session)).toMatchObject({ kind: 'finished' });
    expect(on.changedBy(await on.branchOf(session))).toEqual(['a.txt']);
  });

  it('is on top of the base branch whose workflow file was deleted', async () => {
    await on.change();
    const session = await service.start('Deleted');
    service.model.says(write('a.txt', `deleted ${publish}\n`), async () => {
      await on.change({ [CI]: null });
      return finish;
    });
    await session.advance();
    expect(await endOf(session)).toMatchObject({ kind: 'finished' });
    const branch = await on.branchOf(session);
    expect(on.changedBy(branch)).toEqual(['a.txt']);
    expect(on.git('ls-tree', '-r', '--name-only', branch)).not.toContain(CI);
    await on.change();
  });

  it('takes only the workflow files if both sides changed a file, and a merge is left to do', async () => {
    const session = await service.start('Both');
    service.model.says(write('a.txt', `both ${publish}\n`), async () => {
      await on.change({ 'a.txt': `theirs ${publish}\n`, 'b.txt': `theirs ${publish}\n` });
      return finish;
    });
    await session.advance();
    expect(await endOf(session)).toMatchObject({ kind: 'finished' });
    const branch = await on.branchOf(session);
    expect(session.onBranch('a.txt')).toBe(`both ${publish}`);
    expect(on.changedBy(branch)).toEqual([CI, 'a.txt']);
    expect(on.git('diff', 'main', branch, '--', CI)).toBe('');
  });
});

describe('a session', () => {
  let service: Service;
  let on: ReturnType<typeof scene>;
  beforeAll(async () => {
    service = await openService(FILES);
    on = scene(service);
  });
  afterAll(() => service.close());

  it('works on with the files of the base branch after its first push', async () => {
    const session = await service.start('Goes on');
    service.model.says(
      write('a.txt', 'one\n'),
      write('old.txt', 'not yet\n'),
      async () => {
        await on.change({ 'b.txt': 'theirs\n' });
        return json(['commit', { message: 'Begin', files: ['a.txt'] }]);
      },
      json(['read_file', { path: 'b.txt' }]),
      finish,
    );
    await session.advance();
    expect(await endOf(session)).toMatchObject({ kind: 'finished' });
    const said = await outputs(session);
    expect(said[2]).toMatch(/The base branch had moved on: this commit is on top of [0-9a-f]{10}/);
    expect(said[3]).toContain('theirs');
    const branch = await on.branchOf(session);
    expect(on.changedBy(branch)).toEqual(['a.txt', 'old.txt']);
    expect(on.git('rev-list', '--count', `main..${branch}`)).toBe('2');
    expect(entriesOf(await session.journal(), 'run_prepared')).toHaveLength(1);
  });

  it('pushes again although the workflow file changes after each push', async () => {
    const session = await service.start('Again and again');
    const changed = (line: string) => async () => {
      await on.change();
      return line;
    };
    service.model.says(
      write('a.txt', 'again 1\n'),
      changed(commit),
      write('a.txt', 'again 2\n'),
      changed(commit),
      write('a.txt', 'again 3\n'),
      changed(finish),
    );
    await session.advance();
    expect(await endOf(session)).toMatchObject({ kind: 'finished' });
    const branch = await on.branchOf(session);
    expect(on.changedBy(branch)).toEqual(['a.txt']);
    expect(on.git('rev-list', '--count', `main..${branch}`)).toBe('3');
  });

  it('whose push was denied for workflow files is retried with the files of the base branch', async () => {
    const session = await service.start('Denied');
    const words =
      'refusing to allow a GitHub App to create or update workflow `x` without `workflows` permission';
    await service.github.faults.rejectPush(words);
    service.model.says(write('a.txt', 'denied\n'), finish);
    await session.advance();
    expect(await endOf(session)).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(
        /only if another branch has the same ones, and this branch has others.*The server's message: refusing to allow/s,
      ),
    });
    await service.github.faults.rejectPush(undefined);
    await on.change({ 'b.txt': 'later\n' });
    await session.comment('maintainer', '/issuewright retry');
    service.model.says(finish);
    await session.advance();
    expect(await endOf(session)).toMatchObject({ kind: 'finished' });
    expect(on.changedBy(await on.branchOf(session))).toEqual(['a.txt']);
  });

  it('that the provider ends has its work saved on top of the base branch', async () => {
    const session = await service.start('Broken off');
    service.model.says(write('a.txt', 'broken off\n'), async () => {
      await on.change();
      throw new Error('The model is gone.');
    });
    await session.advance();
    while ((await endOf(session)) === undefined) {
      service.letPass(3_600_000);
      service.model.says(new Error('The model is gone.'));
      await session.advance();
    }
    expect(session.onBranch('a.txt')).toBe('broken off');
    expect(on.changedBy(await on.branchOf(session))).toEqual(['a.txt']);
  });
});
