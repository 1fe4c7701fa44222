// GitHub's own command line, whose documents and expectations nobody here wrote: what it sends, the local GitHub answers as
// GitHub does.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canCertify } from '../../../test/support/certificates.ts';
import { canRunGh, startGhClient, type GhAnswer, type GhClient } from './gh-client.ts';
import { mintToken, startPlayground, type Playground } from './support.ts';

const REPOSITORY = 'example/words';

(canRunGh && canCertify ? describe : describe.skip)("GitHub's command line", () => {
  let playground: Playground;
  let client: GhClient;
  let maintainer: (...words: string[]) => Promise<GhAnswer>;
  beforeAll(async () => {
    playground = await startPlayground();
    client = await startGhClient(playground.github, REPOSITORY);
    maintainer = client.as('user_maintainer');
  });
  afterAll(async () => {
    await client.close();
    await playground.close();
  });

  /** Runs it as the maintainer, and resolves with its output. */
  const gh = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await maintainer(...words);
    expect([words, code, code === 0 ? '' : stderr]).toEqual([words, 0, '']);
    return stdout;
  };
  const push = (branch: string) => {
    const repository = playground.github.repository('example', 'words');
    const files = { [`src/${branch}.js`]: `export const ${branch} = 1;\n` };
    const person = playground.github.as('maintainer');
    return person.push(repository, { branch, files, message: `Add ${branch}` });
  };

  it('says who is signed in, a person or an App', async () => {
    expect((await maintainer('auth', 'status')).stderr).toContain(
      'Logged in to github.example.test as maintainer',
    );
    const app = client.as(await mintToken(playground.github));
    const { code, stderr } = await app('auth', 'status');
    expect([code, stderr]).toEqual([0, expect.stringContaining('as issuewright[bot] ')]);
    const nobody = await client.as('gho_unknown')('auth', 'status');
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('no longer valid')]);
  });

  it('shows the repository with its readme', async () => {
    expect(await gh('repo', 'view')).toMatch(/^name:\texample\/words\n[^]*\n# Words\n/);
    const { code, stderr } = await maintainer('repo', 'view', 'example/none');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("Could not resolve to a Repository with the name 'example/none'."),
    ]);
  });

  it('calls the API', async () => {
    expect(JSON.parse(await gh('api', 'rate_limit'))).toMatchObject({
      rate: { limit: 5000, remaining: 5000 },
    });
    expect(await gh('api', 'meta', '-q', '.verifiable_password_authentication')).toBe('false\n');
    const label = ['-f', 'name=wide', '-f', 'color=00FF00', '-f', 'description=A wide one'];
    const created = await gh('api', `repos/${REPOSITORY}/labels`, ...label);
    expect(JSON.parse(created)).toMatchObject({ color: '00ff00', description: 'A wide one' });
    for (const number of [1, 2, 3])
      await gh('api', `repos/${REPOSITORY}/labels`, '-f', `name=page ${number}`);
    const pages = ['api', '--paginate', `repos/${REPOSITORY}/labels?per_page=2`, '-q', '.[].name'];
    expect(await gh(...pages)).toBe('wide\npage 1\npage 2\npage 3\n');
    const missing = await maintainer('api', 'repos/example/none');
    expect([missing.code, missing.stderr]).toEqual([1, 'gh: Not Found (HTTP 404)\n']);
  });

  it('takes an issue from its creation to its end', async () => {
    await gh('label', 'create', 'bug', '-c', 'ff0000', '-d', 'It does not work');
    await gh('label', 'create', 'later');
    expect(await gh('label', 'list')).toContain('bug\tIt does not work\t#ff0000\n');
    const text = ['-t', 'Greet', '-b', 'By name'];
    expect(await gh('issue', 'create', ...text, '-l', 'bug', '-a', 'maintainer')).toMatch(
      /\/example\/words\/issues\/1\n$/,
    );
    expect(await gh('issue', 'list')).toMatch(/^1\tOPEN\tGreet\tbug\t/);
    expect(await gh('issue', 'list', '--assignee', 'helper')).toBe('');
    expect(await gh('issue', 'comment', '1', '-b', 'In every language')).toMatch(
      /\/issues\/1#issuecomment-\d+\n$/,
    );
    const change = ['-t', 'Greet people', '--add-assignee', 'helper', '--remove-label', 'bug'];
    await gh('issue', 'edit', '1', ...change, '--add-label', 'later');
    expect(await gh('issue', 'list', '--assignee', 'helper')).toMatch(/^1\t/);
    expect(await gh('issue', 'view', '1')).toMatch(
      /^title:\tGreet people\nstate:\tOPEN\nauthor:\tmaintainer\nlabels:\tlater\ncomments:\t1\nassignees:\tmaintainer, helper\n/,
    );
    expect(await gh('issue', 'view', '1', '--comments')).toContain('In every language');
    await gh('issue', 'close', '1', '-r', 'not planned', '-c', 'Never mind');
    expect(JSON.parse(await gh('issue', 'view', '1', '--json', 'state,comments'))).toMatchObject({
      state: 'CLOSED',
      comments: [{ body: 'In every language' }, { body: 'Never mind' }],
    });
    expect(await gh('issue', 'list')).toBe('');
    expect(await gh('api', `repos/${REPOSITORY}/issues/1`, '-q', '.state_reason')).toBe(
      'not_planned\n',
    );
  });

  it('takes a pull request from its draft to its merge', async () => {
    await push('greet');
    const text = ['-t', 'Greet', '-b', 'As wanted', '--head', 'greet', '--base', 'main'];
    const url = await gh('pr', 'create', '--draft', ...text);
    const number = /\/pull\/(\d+)\n$/.exec(url)?.[1] ?? '';
    const again = await maintainer('pr', 'create', ...text);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already exists')]);
    expect(await gh('pr', 'list')).toMatch(new RegExp(`^${number}\tGreet\tgreet\tDRAFT\t`));
    await gh('pr', 'ready', number);
    expect(await gh('pr', 'view', number)).toMatch(
      /^title:\tGreet\nstate:\tOPEN\n[^]*\nadditions:\t1\n/,
    );
    expect(await gh('pr', 'diff', number)).toMatch(
      /^diff --git a\/src\/greet\.js b\/src\/greet\.js\n[^]*\n\+export const greet = 1;\n$/,
    );
    expect(await gh('pr', 'diff', number, '--patch')).toMatch(/^From [0-9a-f]{40} [^]*\n---\n/);
    const own = await maintainer('pr', 'review', number, '--approve');
    expect([own.code, own.stderr]).toEqual([
      1,
      expect.stringContaining('Can not approve your own pull request'),
    ]);
    await client.as('user_helper')('pr', 'review', number, '--approve', '-b', 'Good');
    const seen = ['reviews', 'mergeable', 'mergeStateStatus', 'statusCheckRollup'];
    await gh('pr', 'view', number, '--json', seen.join());
    expect(JSON.parse(await gh('pr', 'view', number, '--json', seen.join()))).toMatchObject({
      reviews: [{ author: { login: 'helper' }, state: 'APPROVED', body: 'Good' }],
      mergeable: 'MERGEABLE',
      mergeStateStatus: 'CLEAN',
      statusCheckRollup: [],
    });
    await gh('pr', 'merge', number, '--squash', '--delete-branch');
    expect(await gh('pr', 'list', '-s', 'merged')).toMatch(new RegExp(`^${number}\t`));
    expect(await gh('api', `repos/${REPOSITORY}/contents/src/greet.js`, '-q', '.name')).toBe(
      'greet.js\n',
    );
    const twice = await maintainer('pr', 'merge', number, '--squash');
    expect(twice.stderr).toContain('was already merged');
  });

  it('names an App as the author by its slug alone, and shows its checks', async () => {
    const sha = await push('bot');
    const { github } = playground;
    await github
      .ci(github.repository('example', 'words'))
      .setStatus(sha, { state: 'success', context: 'ci' });
    const token = await mintToken(github);
    const text = ['-t', 'By an App', '-b', '', '--head', 'bot', '--base', 'main'];
    const opened = await client.as(token)('pr', 'create', ...text);
    expect([opened.code, opened.stderr]).toEqual([0, expect.anything()]);
    const number = opened.stdout.trim().split('/').at(-1) ?? '';
    const seen = await gh('pr', 'view', number, '--json', 'author,statusCheckRollup');
    expect(JSON.parse(seen)).toMatchObject({
      author: { is_bot: true, login: 'app/issuewright' },
      statusCheckRollup: [{ context: 'ci', state: 'SUCCESS' }],
    });
  });
});
