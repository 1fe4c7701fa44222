// Pull requests that go to the branch of another one.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Playground } from './support.ts';
import { asInstallation, startPlayground } from './support.ts';

let playground: Playground;
let count = 0;
beforeAll(async () => {
  playground = await startPlayground({ events: ['pull_request'] });
});
afterAll(() => playground.close());

const maintainer = () => playground.github.as('maintainer');

/** Two pull requests: `lower` to `main`, and `upper` to the branch of `lower`. */
async function stack() {
  count += 1;
  const name = `stack-${count}`;
  const repository = await playground.github.createRepository({
    owner: 'example',
    name,
    files: { 'a.txt': 'a\n' },
    collaborators: { maintainer: 'admin' },
  });
  const push = (branch: string, file: string) =>
    maintainer().push(repository, { branch, files: { [file]: 'x\n' }, message: `Add ${file}` });
  await push('lower', 'lower.txt');
  const lower = await maintainer().openPull(repository, {
    title: 'Lower',
    head: 'lower',
    base: 'main',
  });
  const tip = await repository.git.head('lower');
  await repository.git.setRef('refs/heads/upper', tip ?? '');
  await push('upper', 'upper.txt');
  const upper = await maintainer().openPull(repository, {
    title: 'Upper',
    head: 'upper',
    base: 'lower',
  });
  const at = { owner: 'example', repo: name, pull_number: upper.number };
  const read = async () => {
    const { data } = await asInstallation(playground.github).rest.pulls.get(at);
    return { state: data.state, base: data.base.ref, files: data.changed_files };
  };
  const change = (base: string) =>
    asInstallation(playground.github).rest.pulls.update({ ...at, base });
  const isSame = (at: unknown): boolean =>
    typeof at === 'object' && at !== null && 'id' in at && at.id === repository.id;
  /** What the App hears of the pull request, once an event of this kind is among it. */
  const heard = async (kind: string) => {
    const of = () =>
      playground.received
        .map(({ payload }) => payload)
        .filter(({ number, repository: at }) => number === upper.number && isSame(at));
    await playground.github.waitFor(() => of().some(({ action }) => action === kind), {
      what: () => kind,
    });
    return of();
  };
  return { repository, lower, upper, tip, read, change, heard };
}

describe('a pull request to the branch of another', () => {
  it('shows only its own changes, and keeps its base when the other is merged', async () => {
    const { repository, lower, read } = await stack();
    expect(await read()).toEqual({ state: 'open', base: 'lower', files: 1 });
    await maintainer().merge({ repository, number: lower.number });
    expect(await read()).toEqual({ state: 'open', base: 'lower', files: 1 });
  });

  it('goes where the other was merged once its branch is deleted', async () => {
    const { repository, lower, tip, read, heard } = await stack();
    await maintainer().merge({ repository, number: lower.number });
    await maintainer().deleteBranch(repository, 'lower');
    expect(await read()).toEqual({ state: 'open', base: 'main', files: 1 });
    const edited = (await heard('edited')).find(({ action }) => action === 'edited');
    expect(edited).toMatchObject({
      changes: { base: { ref: { from: 'lower' }, sha: { from: tip } } },
    });
  });

  it('is closed if the branch of the other is deleted through the API, although that was merged', async () => {
    const { repository, lower, read } = await stack();
    await maintainer().merge({ repository, number: lower.number });
    const at = { owner: 'example', repo: repository.name, ref: 'heads/lower' };
    await asInstallation(playground.github).rest.git.deleteRef(at);
    expect(await read()).toMatchObject({ state: 'closed', base: 'lower' });
  });

  it('is closed if the branch of the other is deleted unmerged', async () => {
    const { repository, read } = await stack();
    await maintainer().deleteBranch(repository, 'lower');
    expect(await read()).toEqual({ state: 'closed', base: 'lower', files: 1 });
  });
});

describe('the base of a pull request', () => {
  it('changes once, and only to a branch that it has new commits for', async () => {
    const { repository, upper, change, read, heard } = await stack();
    await expect(change('nowhere')).rejects.toMatchObject({ status: 422 });
    const { git } = repository;
    await git.setRef('refs/heads/ahead', (await git.head('upper')) ?? '');
    await expect(change('ahead')).rejects.toThrow(/no new commits between base branch 'ahead'/);
    await change('main');
    await change('main');
    expect(await read()).toEqual({ state: 'open', base: 'main', files: 2 });
    await maintainer().close({ repository, number: upper.number });
    const actions = (await heard('closed')).map(({ action }) => action);
    expect(actions.filter((one) => one === 'edited')).toHaveLength(1);
  });
});
