// Repositories and people that are added to a local GitHub: `./issuewright github add`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startLocalGitHub, type LocalGitHub } from '../src/index.ts';
import { nativeGit } from '../../../test/support/git-server.ts';
import { PRIVATE_KEY } from '../../../test/support/private-key.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const KEY = 'the key of the test';

describe('an addition', () => {
  let github: LocalGitHub;
  let directory: string;
  let source: string;
  beforeAll(async () => {
    directory = temporaryDirectory();
    github = await startLocalGitHub({
      directory,
      app: { id: 1, slug: 'app', name: 'App', privateKeyPem: PRIVATE_KEY, webhookSecret: 'x' },
      users: [{ login: 'maintainer' }],
      additionKey: KEY,
    });
    source = path.join(temporaryDirectory(), 'words');
    mkdirSync(source);
    nativeGit(source, 'init', '-q', '-b', 'trunk');
    nativeGit(source, 'commit', '-q', '--allow-empty', '-m', 'Begin');
    nativeGit(source, 'branch', 'other');
  });
  afterAll(() => github.close());

  const repository = (from: string, name: string, owner = 'example') =>
    github.add({ kind: 'repository', source: from, owner, name, maintainer: 'maintainer' });

  it('of a folder has its branches, its current one as the default, and an App on it', async () => {
    expect(await repository(source, 'words')).toBe(
      'Added example/words with the branch trunk. maintainer is its admin. The App is installed on it.',
    );
    const added = github.repository('example', 'words');
    expect(added.defaultBranch).toBe('trunk');
    expect([...(await added.git.branches()).keys()]).toEqual(['other', 'trunk']);
    expect(await added.git.head('trunk')).toBe(nativeGit(source, 'rev-parse', 'trunk'));
    await github.webhooksSent();
    expect(github.deliveries.at(-1)).toMatchObject({ event: 'installation', action: 'created' });
    await expect(repository(source, 'Words')).rejects.toThrow('example/Words already: use --name');
    await repository(source, 'more');
    await github.webhooksSent();
    expect(github.deliveries.at(-1)).toMatchObject({
      event: 'installation_repositories',
      action: 'added',
    });
  });

  it('of an address is a clone of it', async () => {
    await repository(source, 'origin');
    const address = `${github.url.replace('//', '//x:user_maintainer@')}/example/origin.git`;
    await repository(address, 'clone', 'elsewhere');
    const clone = github.repository('elsewhere', 'clone');
    expect(await clone.git.head('other')).toBe(nativeGit(source, 'rev-parse', 'other'));
    expect(clone.installationId).not.toBe(github.repository('example', 'origin').installationId);
  });

  it.each([
    ['a folder that is no repository', () => temporaryDirectory(), 'git could not clone'],
    ['a folder that is not there', () => '/nowhere/at/all', 'There is no folder /nowhere/at/all'],
    ['an option in place of a folder', () => '--upload-pack=touch', 'There is no folder'],
    ['an address of another kind', () => 'ext::touch%20x', 'There is no folder'],
    ['an address that has none', () => `${github.url}/example/none.git`, 'git could not clone'],
  ])('of %s is denied, and leaves nothing behind', async (_name, from, words) => {
    await expect(repository(from(), 'denied')).rejects.toThrow(words);
    expect(() => github.repository('example', 'denied')).toThrow('Not Found');
    expect(existsSync(path.join(directory, 'example', 'denied.git'))).toBe(false);
  });

  it('over a folder that no repository is known in is denied, and leaves that as it was', async () => {
    const left = path.join(directory, 'example', 'left.git');
    mkdirSync(left);
    writeFileSync(path.join(left, 'work'), 'kept');
    const denial = repository(source, 'left');
    await expect(denial).rejects.toThrow(`The folder ${left} is there already, but`);
    await expect(denial).rejects.toThrow('move it away or delete it, or choose another name');
    expect(readFileSync(path.join(left, 'work'), 'utf8')).toBe('kept');
  });

  it('of a folder without a commit is denied', async () => {
    const empty = temporaryDirectory();
    nativeGit(empty, 'init', '-q');
    await expect(repository(empty, 'empty')).rejects.toThrow('no branch that has a commit');
  });

  it('of a person gives them a role', async () => {
    await repository(source, 'shared');
    const access = { owner: 'example', name: 'shared', role: 'write' } as const;
    expect(await github.add({ kind: 'person', login: 'ada', access })).toBe(
      'Added ada. Role in example/shared: write.',
    );
    expect(github.repository('example', 'shared').collaborators.get('ada')).toBe('write');
    expect(await github.add({ kind: 'person', login: 'ada' })).toBe('ada was there already.');
    await expect(github.add({ kind: 'person', login: 'example' })).rejects.toThrow('no person');
    const none = { ...access, name: 'none' };
    await expect(github.add({ kind: 'person', login: 'bob', access: none })).rejects.toThrow(
      'There is no repository example/none',
    );
  });

  it.each([
    ['with another key', { 'x-addition-key': 'another' }],
    ['with no key', {}],
    ['from another site', { 'x-addition-key': KEY, origin: 'http://example.test' }],
  ])('%s is denied', async (_name, headers) => {
    const body = JSON.stringify({ kind: 'person', login: 'mallory' });
    const { status } = await fetch(`${github.url}/ui/additions`, { method: 'POST', headers, body });
    expect(status).toBe(403);
    expect(() => github.as('mallory')).toThrow('no user mallory');
  });
});
