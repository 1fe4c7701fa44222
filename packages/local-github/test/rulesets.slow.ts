// Rules of a repository: enforced when native git pushes, at the API, and at merges.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewRuleset } from '../src/github/rules/ruleset.ts';
import type { Playground } from './support.ts';
import { asInstallation, git, mintToken, remote, startPlayground, withToken } from './support.ts';
import { sendWrongRequests } from '../../../test/support/github-schemas/wrong-requests.ts';

sendWrongRequests();

type Rules = NonNullable<NewRuleset['rules']>;

let playground: Playground;
let count = 0;
beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground.close());

const maintainer = () => playground.github.as('maintainer');
const api = () => asInstallation(playground.github).rest;

const on = (include: string, rules: Rules, more: Partial<NewRuleset> = {}): NewRuleset => ({
  name: 'Rules',
  enforcement: 'active',
  conditions: { ref_name: { include: [include] } },
  rules,
  ...more,
});

/** A repository with a branch `kept` of two commits, rules for it, and a clone by the App. */
async function scene(...rulesets: NewRuleset[]) {
  count += 1;
  const name = `rules-${count}`;
  const { github } = playground;
  const repository = await github.createRepository({
    owner: 'example',
    name,
    files: { 'README.md': 'Words\n' },
    collaborators: { maintainer: 'admin', helper: 'write' },
  });
  const files = { 'kept.txt': '1\n' };
  await maintainer().push(repository, { branch: 'kept', files, message: 'Keep' });
  for (const ruleset of rulesets) maintainer().addRuleset(repository, ruleset);
  const clone = await mkdtemp(path.join(playground.directory, 'clone-'));
  const url = remote(github, await mintToken(github)).replace('words', name);
  await git(clone, 'clone', '-q', '-b', 'kept', url, '.');
  const commit = async (file: string, message = 'A message') => {
    await mkdir(path.dirname(path.join(clone, file)), { recursive: true });
    await writeFile(path.join(clone, file), `${message}\n`);
    await git(clone, 'add', '.');
    await git(clone, 'commit', '-q', '-m', message);
    return git(clone, 'rev-parse', 'HEAD');
  };
  const push = (branch: string, ...flags: string[]) =>
    git(
      clone,
      'push',
      ...flags,
      'origin',
      branch.includes(':') ? branch : `HEAD:refs/heads/${branch}`,
    );
  const at = { owner: 'example', repo: name };
  return { repository, clone, commit, push, at };
}

const DECLINED = /\[remote rejected\].*\(push declined due to repository rule violations\)/;
const pattern = { operator: 'regex', pattern: '^[A-Z]' } as const;

describe('a push', () => {
  it.each<[string, Rules, RegExp]>([
    [
      'an unsigned commit',
      [{ type: 'required_signatures' }],
      /- Commits must have verified signatures\.[^]*remote: {3}Found 1 violation:[^]*remote: {3}[0-9a-f]{40}/,
    ],
    [
      'a direct change',
      [{ type: 'pull_request' }],
      /- Changes must be made through a pull request\./,
    ],
    [
      'a change without its check',
      [
        {
          type: 'required_status_checks',
          parameters: { required_status_checks: [{ context: 'ci' }] },
        },
      ],
      /- Required status check "ci" is expected\./,
    ],
    [
      'another message',
      [{ type: 'commit_message_pattern', parameters: pattern }],
      /- Commit message must match the regex: \^\[A-Z\]/,
    ],
    ['any change', [{ type: 'update' }], /- Cannot update this protected ref\./],
  ])(
    'of %s to a protected branch is declined in the words of GitHub',
    async (_what, rules, words) => {
      const { commit, push, repository } = await scene(on('refs/heads/kept', rules));
      const before = await repository.git.head('kept');
      await commit('new.txt', 'small');
      const said = push('kept');
      await expect(said).rejects.toThrow(words);
      await expect(said).rejects.toThrow(DECLINED);
      await expect(said).rejects.toThrow(
        /remote: error: GH013: Repository rule violations found for refs\/heads\/kept\./,
      );
      expect(await repository.git.head('kept')).toBe(before);
      await push('loose');
    },
  );

  it('that loses commits, deletes or creates is declined by its rule, and only by that', async () => {
    const { clone, push, commit } = await scene(
      on('refs/heads/kept', [{ type: 'non_fast_forward' }, { type: 'deletion' }]),
      on('refs/heads/no/**', [{ type: 'creation' }]),
    );
    await commit('new.txt');
    await push('kept');
    await git(clone, 'reset', '-q', '--hard', 'HEAD~2');
    await expect(push('kept', '--force')).rejects.toThrow(/- Cannot force-push to this branch/);
    await expect(push(':refs/heads/kept')).rejects.toThrow(/- Cannot delete this branch/);
    await expect(push('no/deep/one')).rejects.toThrow(/creations being restricted/);
    await push('other', '--force');
    await push(':refs/heads/other');
  });

  it('of a restricted file is declined on every branch', async () => {
    const rules: Rules = [
      { type: 'file_path_restriction', parameters: { restricted_file_paths: ['secrets/**'] } },
    ];
    const { commit, push } = await scene(on('~ALL', rules, { target: 'push' }));
    await commit('public.txt');
    await push('one');
    await commit('secrets/key.txt');
    await expect(push('one')).rejects.toThrow(/- File path is restricted[^]*secrets\/key\.txt/);
  });

  it('of signed commits, by those who may bypass the rules, or under disabled rules is accepted', async () => {
    const signatures: Rules = [{ type: 'required_signatures' }];
    const app = { actor_type: 'Integration', actor_id: 4242 } as const;
    for (const more of [{ enforcement: 'disabled' as const }, { bypass_actors: [app] }]) {
      const { commit, push } = await scene(on('~ALL', signatures, more));
      await commit('new.txt');
      await push('kept');
    }
    const { at, repository, push, clone } = await scene(on('~ALL', signatures));
    const parent = (await repository.git.head('kept')) ?? '';
    const tree = await git(repository.git.directory, 'rev-parse', `${parent}^{tree}`);
    const { data } = await api().git.createCommit({ ...at, message: 'x', tree, parents: [parent] });
    await git(clone, 'fetch', '-q', 'origin', data.sha);
    await git(clone, 'reset', '-q', '--hard', data.sha);
    await push('kept');
    expect(await repository.git.head('kept')).toBe(data.sha);
  });

  it('is refused to whoever may bypass the rules only by pull requests', async () => {
    const signatures: Rules = [{ type: 'required_signatures' }];
    const app = { actor_type: 'Integration', actor_id: 4242 } as const;
    const pushedBy = async (bypass_mode: 'exempt' | 'pull_request') => {
      const { commit, push } = await scene(
        on('~ALL', signatures, { bypass_actors: [{ ...app, bypass_mode }] }),
      );
      await commit(`${bypass_mode}.txt`);
      return push('kept');
    };
    await pushedBy('exempt');
    await expect(pushedBy('pull_request')).rejects.toThrow(/must have verified signatures/);
  });

  it('of a workflow file by an App without the permission is refused for the ref itself', async () => {
    const { commit, push } = await scene();
    await commit('.github/workflows/ci.yml');
    await expect(push('flow')).rejects.toThrow(
      /\[remote rejected\] HEAD -> flow \(refusing to allow a GitHub App to create or update workflow `\.github\/workflows\/ci\.yml` without `workflows` permission\)/,
    );
  });
});

describe('the API', () => {
  it('says 422 for references, and 409 for files', async () => {
    const { at, repository } = await scene(on('refs/heads/kept', [{ type: 'pull_request' }]));
    const [sha, parent] = [await repository.git.head('main'), await repository.git.head('kept')];
    const ref = 'heads/kept';
    const move = api().git.updateRef({ ...at, ref, sha: sha ?? '', force: true });
    const message =
      'Repository rule violations found\n\nChanges must be made through a pull request.\n';
    await expect(move).rejects.toMatchObject({ status: 422, response: { data: { message } } });
    const wanted = { path: 'x', message: 'x', content: '', branch: 'kept' };
    const write = api().repos.createOrUpdateFileContents({ ...at, ...wanted });
    await expect(write).rejects.toMatchObject({ status: 409, response: { data: { message } } });
    const merge = api().repos.merge({ ...at, base: 'kept', head: 'main' });
    expect((await merge).status).toBe(204);
    expect(await repository.git.head('kept')).toBe(parent);
  });

  it('accepts signed commits where signatures are required', async () => {
    const { at } = await scene(on('~ALL', [{ type: 'required_signatures' }]));
    const wanted = { path: 'x', message: 'x', content: '', branch: 'kept' };
    expect((await api().repos.createOrUpdateFileContents({ ...at, ...wanted })).status).toBe(201);
    const author = { name: 'Ann', email: 'ann@example.test' };
    await expect(
      api().repos.createOrUpdateFileContents({ ...at, ...wanted, path: 'y', author }),
    ).rejects.toMatchObject({ status: 409 });
  });

  it('refuses workflow files to an App without the permission for them', async () => {
    const { at, commit, clone } = await scene();
    const file = '.github/workflows/ci.yml';
    const content = { path: file, mode: '100644', type: 'blob', content: 'on: push\n' } as const;
    const denied = {
      status: 403,
      response: { data: { message: 'Resource not accessible by integration' } },
    };
    await expect(api().git.createTree({ ...at, tree: [content] })).rejects.toMatchObject(denied);
    const wanted = { path: file, message: 'x', content: '' };
    await expect(
      api().repos.createOrUpdateFileContents({ ...at, ...wanted }),
    ).rejects.toMatchObject(denied);
    await commit(file);
    const url = remote(playground.github, 'user_maintainer').replace('words', at.repo);
    await git(clone, 'push', '-q', url, 'HEAD:refs/heads/theirs');
    await maintainer().openPull(playground.github.repository('example', at.repo), {
      title: 'Flow',
      head: 'theirs',
      base: 'main',
    });
    await expect(api().pulls.merge({ ...at, pull_number: 1 })).rejects.toMatchObject({
      status: 403,
      response: { data: { message: expect.stringMatching(/^refusing to allow a GitHub App/) } },
    });
  });

  it('lists the active rules of a branch, with their rulesets', async () => {
    const { at, repository } = await scene(
      on('refs/heads/k*', [
        { type: 'deletion' },
        { type: 'commit_message_pattern', parameters: pattern },
      ]),
      on('~DEFAULT_BRANCH', [{ type: 'update' }]),
      on('~ALL', [{ type: 'creation' }], { enforcement: 'disabled' }),
    );
    const { data } = await api().repos.getBranchRules({ ...at, branch: 'kept' });
    const source = { ruleset_source_type: 'Repository', ruleset_source: repository.fullName };
    expect(data).toMatchObject([
      { type: 'deletion', ...source, ruleset_id: repository.rulesets[0]?.id },
      { type: 'commit_message_pattern', parameters: { ...pattern, negate: false }, ...source },
    ]);
    const main = await api().repos.getBranchRules({ ...at, branch: 'main' });
    expect(main.data).toMatchObject([{ type: 'update' }]);
  });

  it('lets administrators change rulesets, and no one else', async () => {
    const { at } = await scene();
    const admin = withToken(playground.github, 'user_maintainer').rest.repos;
    const { data: made } = await admin.createRepoRuleset({
      ...at,
      ...on('~ALL', [{ type: 'deletion' }]),
    } as never);
    const where = { ...at, ruleset_id: made.id };
    await admin.updateRepoRuleset({ ...where, enforcement: 'disabled' });
    expect((await api().repos.getRepoRuleset(where)).data).toMatchObject({
      enforcement: 'disabled',
      rules: [{ type: 'deletion' }],
      source: `example/${at.repo}`,
    });
    expect((await api().repos.getRepoRulesets(at)).data).toHaveLength(1);
    await expect(api().repos.deleteRepoRuleset(where)).rejects.toMatchObject({ status: 403 });
    await admin.deleteRepoRuleset(where);
    await expect(api().repos.getRepoRuleset(where)).rejects.toMatchObject({ status: 404 });
    const broken = { ...at, name: 'x', enforcement: 'active', rules: [{ type: 'magic' }] };
    await expect(admin.createRepoRuleset(broken as never)).rejects.toMatchObject({ status: 422 });
  });
});

describe('a pull request into a protected branch', () => {
  async function proposed(rules: Rules) {
    const { repository, at } = await scene(on('~DEFAULT_BRANCH', rules));
    await maintainer().openPull(repository, { title: 'Keep', head: 'kept', base: 'main' });
    const where = { ...at, pull_number: 1 };
    const state = async () => {
      await api().pulls.get(where);
      return (await api().pulls.get(where)).data.mergeable_state;
    };
    return { repository, thread: { repository, number: 1 }, where, state };
  }
  const merge = (where: { owner: string; repo: string; pull_number: number }) =>
    api().pulls.merge(where);

  it('is blocked until it is approved and its threads are resolved', async () => {
    const parameters = {
      required_approving_review_count: 1,
      required_review_thread_resolution: true,
    };
    const { repository, thread, where, state } = await proposed([
      { type: 'pull_request', parameters },
    ]);
    const helper = playground.github.as('helper');
    expect(await state()).toBe('blocked');
    await expect(merge(where)).rejects.toMatchObject({
      status: 405,
      response: {
        data: { message: expect.stringMatching(/At least 1 approving review is required/) },
      },
    });
    await helper.review(thread, {
      event: 'APPROVE',
      comments: [{ path: 'kept.txt', line: 1, body: 'Hm' }],
    });
    await expect(merge(where)).rejects.toThrow(/A conversation must be resolved/);
    maintainer().resolve(repository, repository.reviewComments[0]?.id ?? 0);
    expect(await state()).toBe('clean');
    expect((await merge(where)).data.merged).toBe(true);
  });

  it('is blocked until its required check has passed', async () => {
    const parameters = { required_status_checks: [{ context: 'ci' }] };
    const { repository, where, state } = await proposed([
      { type: 'required_status_checks', parameters },
    ]);
    expect(await state()).toBe('blocked');
    await expect(merge(where)).rejects.toThrow(/Required status check "ci" is expected/);
    const sha = (await repository.git.head('kept')) ?? '';
    const person = withToken(playground.github, 'user_maintainer').rest.repos;
    const { owner, repo } = where;
    await person.createCommitStatus({ owner, repo, sha, state: 'success', context: 'ci' });
    expect(await state()).toBe('clean');
  });

  it('is behind if it must be up to date', async () => {
    const parameters = { strict_required_status_checks_policy: true, required_status_checks: [] };
    const { repository, state } = await proposed([{ type: 'required_status_checks', parameters }]);
    expect(await state()).toBe('clean');
    await maintainer().push(repository, { branch: 'main', files: { other: '1\n' }, message: 'x' });
    expect(await state()).toBe('behind');
  });
});

describe('the page of the rules', () => {
  it('shows, creates and deletes rulesets', async () => {
    const { repository } = await scene();
    const { url } = playground.github;
    const post = (where: string, form: Record<string, string>) =>
      fetch(`${url}/ui/${repository.fullName}/${where}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: url },
        body: new URLSearchParams({ as: 'maintainer', ...form }),
      });
    const page = async () => (await fetch(`${url}/${repository.fullName}/rules`)).text();
    const ruleset = JSON.stringify(on('~ALL', [{ type: 'required_signatures' }]));
    expect((await post('rulesets', { ruleset })).status).toBe(303);
    expect(await page()).toContain('required_signatures');
    expect((await post('rulesets', { ruleset: '{}' })).status).toBe(422);
    expect((await post('rulesets', { ruleset, as: 'helper' })).status).toBe(403);
    await post(`rulesets/${repository.rulesets[0]?.id}/delete`, {});
    expect(await page()).not.toContain('required_signatures');
  });
});
