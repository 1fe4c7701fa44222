import { beforeEach, describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { diffText } from '../../src/tools/git/diffs.ts';
import { bench, type Bench } from './support.ts';

let subject: Bench;
const call = (tool: string, args?: unknown) => subject.call(tool, args);
const output = async (tool: string, args?: unknown) => (await call(tool, args)).output;
const write = (path: string, content: string) => call('write_file', { path, content });

beforeEach(async () => {
  subject = await bench({ 'README.md': 'Sample\n', 'src/a.ts': 'one\ntwo\n' });
});

describe('git_status', () => {
  const HEAD = 'On branch issuewright/issue-7, for a pull request to main';

  it('says that nothing has changed', async () => {
    expect(await output('git_status')).toBe(`${HEAD}\nnothing to commit, working tree clean`);
  });

  it('shows what the next commit takes, and what it leaves out', async () => {
    await write('src/a.ts', 'changed\n');
    await write('new.txt', '');
    expect(await output('git_status')).toBe(
      `${HEAD}\nChanges to be committed:\n  new file:   new.txt\n  modified:   src/a.ts`,
    );
    await call('git_add', { paths: ['src'] });
    expect(await output('git_status')).toBe(
      `${HEAD}\nChanges to be committed:\n  modified:   src/a.ts\n` +
        'Changes left out of the next commit:\n  new file:   new.txt',
    );
  });

  it('names the first of very many, and counts the rest', async () => {
    for (let index = 0; index < 130; index += 1)
      await subject.files.write(`many/${index}.txt`, Buffer.from(''));
    const shown = await output('git_status');
    expect(shown).toContain('(and 30 more)');
    expect(shown.split('\n')).toHaveLength(103);
  });
});

describe('files that Git LFS stores', () => {
  const REMARK = 'No commit includes "model.bin": Git LFS stores it, and is not used here.';

  it('are named by git_status, by a commit without anything else, and at the end', async () => {
    subject.git.stored.push('model.bin');
    expect(await output('git_status')).toContain(
      `\nnothing to commit, working tree clean\n${REMARK}`,
    );
    expect(await output('commit', { message: 'Change the model' })).toContain(REMARK);
    await write('src/a.ts', 'changed\n');
    expect(await output('git_status')).not.toContain('clean');
    const { output: said, effects } = await call('commit', { message: 'Change more' });
    expect(said).toContain(REMARK);
    expect(effects).toMatchObject([{ type: 'commit', inLfs: { paths: ['model.bin'], total: 1 } }]);
    expect(await output('finish', { summary: 'Done.' })).toContain(REMARK);
  });
});

describe('git_add', () => {
  beforeEach(async () => {
    await write('src/a.ts', 'changed\n');
    await write('src/b.ts', 'new\n');
    await write('c.txt', 'new\n');
  });
  const next = async (): Promise<readonly string[]> => {
    await call('commit', { message: 'x' });
    return subject.git.commits.at(-1)?.files.map(({ path }) => path) ?? [];
  };

  it('chooses files, and more files; after the commit all are taken again', async () => {
    await call('git_add', { paths: ['c.txt'] });
    const { effects } = await call('git_add', { files: ['./src/b.ts'] });
    expect(effects).toEqual([{ type: 'staged', paths: ['c.txt', 'src/b.ts'] }]);
    expect(await next()).toEqual(['c.txt', 'src/b.ts']);
    expect(await next()).toEqual(['src/a.ts']);
  });

  it('chooses all of a directory, and with "." all there is', async () => {
    await call('git_add', { path: 'src/' });
    expect(await output('git_add', { paths: ['src'] })).toContain('1 changed file left out');
    expect((await call('git_add', { paths: ['.'] })).effects).toEqual([
      { type: 'staged', paths: null },
    ]);
    expect(await next()).toEqual(['c.txt', 'src/a.ts', 'src/b.ts']);
  });

  it('rejects what has not changed, and names what has', async () => {
    const rejected = call('git_add', { paths: ['README.md'] });
    await expect(rejected).rejects.toBeInstanceOf(TellModel);
    await expect(rejected).rejects.toThrow('modified:   src/a.ts');
    await expect(call('git_add', { paths: ['../../etc/passwd'] })).rejects.toThrow(TellModel);
    await expect(call('git_add', { paths: [] })).rejects.toThrow(TellModel);
  });

  it('survives a resume: the choice is in the journal until the commit', async () => {
    await call('git_add', { paths: ['c.txt'] });
    const { session } = subject.hub.journal;
    expect(session.work.stagedPaths).toEqual(['c.txt']);
    const before = session.work.uncommittedSince;
    await call('commit', { message: 'Only c' });
    // The changes that were left out are still stored, and still to be committed.
    expect(subject.hub.journal.session.work).toMatchObject({
      stagedPaths: undefined,
      uncommittedSince: before,
    });
    await call('commit', { message: 'The rest' });
    expect(subject.hub.journal.session.work.uncommittedSince).toBeGreaterThan(before);
  });
});

describe('commit', () => {
  it('reports the commit with its files', async () => {
    await write('b.txt', '2');
    const result = await call('git_commit', { message: ' Add b ' });
    const [done] = subject.git.commits;
    expect(result.output).toBe(
      `Committed ${done?.sha.slice(0, 10)} with 1 file:\n  new file:   b.txt (+1 -0)`,
    );
    expect(result.effects).toEqual([
      { type: 'commit', sha: done?.sha, message: 'Add b', files: done?.files },
    ]);
    expect(result.halt).toBeUndefined();
  });

  it('says that nothing changed, without an effect', async () => {
    const { output: said, effects } = await call('commit', { message: 'x' });
    expect(said).toBe('Nothing was committed: there are no changes since the last commit.');
    expect(effects ?? []).toEqual([]);
  });

  it('says so too if what was chosen was reverted', async () => {
    await write('a.txt', '1');
    await write('src/a.ts', 'changed\n');
    await call('git_add', { paths: ['src/a.ts'] });
    await write('src/a.ts', 'one\ntwo\n');
    expect(await output('commit', { message: 'x' })).toMatch(
      /^Nothing was committed: the paths chosen for the next commit have no changes\. Changed files:\n {2}new file: +a\.txt$/,
    );
  });

  it.each([
    ['git_add', undefined],
    ['the commit itself', ['./a.txt']],
  ])(
    'says what it left out, and is the same when it is repeated after a crash: chosen with %s',
    async (_how, files) => {
      await write('a.txt', '1');
      await write('b.txt', '2');
      await call('git_add', { paths: [files === undefined ? 'a.txt' : 'b.txt'] });
      const args = { message: 'Add a', ...(files && { files }) };
      const first = await subject.crashIn('commit', args);
      expect(first.effects).toMatchObject([{ partial: true, files: [{ path: 'a.txt' }] }]);
      expect(first.output).toContain('1 changed file left out');
      expect(await call('commit', args)).toEqual(first);
      expect(subject.git.commits).toHaveLength(1);
    },
  );

  it('takes directories, and with "." everything', async () => {
    await write('src/a.ts', 'changed\n');
    await write('src/b.ts', 'new\n');
    await write('c.txt', 'new\n');
    await write('d.txt', 'new\n');
    await call('commit', { message: 'x', paths: ['src', 'src/b.ts', 'c.txt'] });
    await call('commit', { message: 'y', files: '.' });
    expect(subject.git.commits.map(({ files }) => files.map(({ path }) => path))).toEqual([
      ['c.txt', 'src/a.ts', 'src/b.ts'],
      ['d.txt'],
    ]);
  });

  it('commits nothing if one of the files has not changed, and names what has', async () => {
    await write('a.txt', '1');
    const rejected = call('commit', { message: 'x', files: ['a.txt', 'README.md'] });
    await expect(rejected).rejects.toThrow(/no changes at "README\.md"[^]*new file: +a\.txt/);
    expect(subject.git.commits).toEqual([]);
  });
});

describe('git_diff', () => {
  it('shows what is not committed, in the form of git', async () => {
    await write('src/a.ts', 'one\n2\n');
    await write('new.txt', 'x');
    expect(await output('git_diff')).toBe(
      [
        'diff --git a/new.txt b/new.txt',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/new.txt',
        '@@ -0,0 +1 @@',
        '+x',
        '\\ No newline at end of file',
        'diff --git a/src/a.ts b/src/a.ts',
        '--- a/src/a.ts',
        '+++ b/src/a.ts',
        '@@ -1,2 +1,2 @@',
        ' one',
        '-two',
        '+2',
        '',
      ].join('\n'),
    );
    expect(await output('git_diff', { path: './src/' })).toMatch(/^diff --git a\/src\/a\.ts/);
    expect(await output('git_diff', { path: 'docs' })).toBe('No changes in "docs".');
  });

  it('shows what was chosen for the next commit', async () => {
    await write('a.txt', '1\n');
    await write('b.txt', '2\n');
    expect(await output('git_diff', { of: 'staged' })).toMatch(/\+1\n[^]*\+2\n/);
    await call('git_add', { paths: ['b.txt'] });
    expect(await output('git_diff', { of: 'staged' })).toMatch(/^diff --git a\/b\.txt[^]*\+2\n$/);
    expect(await output('git_diff', { of: 'staged', path: 'a.txt' })).toBe(
      'No changes in "a.txt".',
    );
  });

  it('shows what the branch, or one commit of it, changed', async () => {
    await write('a.txt', '1\n');
    await call('commit', { message: 'One' });
    await write('b.txt', '2\n');
    await call('commit', { message: 'Two' });
    const [one] = subject.git.commits;
    expect(await output('git_diff')).toBe('No changes.');
    expect(await output('git_diff', { of: 'branch' })).toMatch(/\+1\n[^]*\+2\n/);
    expect(await output('git_diff', { of: 'branch', path: 'b.txt' })).not.toContain('+1\n');
    expect(await output('git_diff', { commit: one?.sha.slice(0, 8) })).not.toContain('+2\n');
  });

  it.each(['HEAD~1', '', '--help', '0123456', 'zzzzzzzz'])(
    'rejects %j for a commit',
    async (of) => {
      await expect(call('git_diff', { of })).rejects.toBeInstanceOf(TellModel);
    },
  );

  it('is bounded: whole files as far as there is room, then their names', () => {
    const file = (path: string, lines: number) => ({
      path,
      status: 'added' as const,
      hunks: `@@ -0,0 +1,${lines} @@\n${'+line\n'.repeat(lines)}`,
    });
    const shown = diffText([file('a', 10), file('b', 9000), file('c', 10), file('d', 9000)]);
    expect(shown.length).toBeLessThan(50_000);
    expect(shown).toContain('diff --git a/c b/c');
    expect(shown).toMatch(
      /\(not shown, because the diff is too long: b, d; give one as path to see it\)\n$/,
    );
    expect(diffText([file('b', 9000)])).toMatch(/\(cut here: \d+ more lines of this diff\)\n$/);
    const long = `@@ -0,0 +1 @@\n+${'x'.repeat(9000)}\n`;
    expect(diffText([{ path: 'e', status: 'added', hunks: long }])).toMatch(/… \(cut: 9001 char/);
  });

  it('shows renames, modes, and binary files', () => {
    const renamed = { path: 'b', from: 'a', status: 'renamed' as const, hunks: '' };
    expect(diffText([renamed])).toBe(
      'diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n',
    );
    const mode = { path: 'a', status: 'modified' as const, oldMode: '100644', newMode: '100755' };
    expect(diffText([{ ...mode, hunks: '' }])).toBe(
      'diff --git a/a b/a\nold mode 100644\nnew mode 100755\n',
    );
    expect(diffText([{ path: 'a', status: 'deleted', why: 'binary' }])).toContain(
      'Binary files a/a and /dev/null differ',
    );
  });

  it('keeps a name in its line, whatever is in it', () => {
    const path = 'a\n+++ b/"x"\\';
    expect(diffText([{ path, status: 'added', why: 'binary' }]).split('\n')).toHaveLength(4);
  });
});

describe('git_log', () => {
  it('shows the newest commits first, as git does, and no address', async () => {
    await write('a.txt', '1');
    await call('commit', { message: 'One\n\nWhy.' });
    await write('b.txt', '2');
    await call('commit', { message: 'Two' });
    const [one, two] = subject.git.commits;
    const shown = await output('git_log');
    expect(shown).toBe(
      [
        `commit ${two?.sha}`,
        'Author: issuewright[bot]',
        `Date:   ${two?.at.toISOString()}`,
        '',
        '    Two',
        '',
        `commit ${one?.sha}`,
        'Author: issuewright[bot]',
        `Date:   ${one?.at.toISOString()}`,
        '',
        '    One',
        '    ',
        '    Why.',
      ].join('\n'),
    );
    expect(await output('git_log', { path: 'a.txt' })).not.toContain('Two');
    expect(await output('git_log', { limit: '1' })).not.toContain('One');
  });

  it('says if there is none, and rejects an invalid limit', async () => {
    expect(await output('git_log', { path: 'no.txt' })).toContain('"no.txt"');
    await expect(call('git_log', { limit: 0 })).rejects.toBeInstanceOf(TellModel);
  });
});

describe('git_branch', () => {
  it('lists the branches, the own one first', async () => {
    subject.hub.branches.push('develop');
    expect(await output('git_branch')).toBe(
      "* issuewright/issue-7 (this session's branch; not pushed yet)\n" +
        '  main (the pull request goes here)\n  develop',
    );
  });

  it.each([
    ['greet-by-name', 'greet-by-name'],
    ['issuewright/issue-7-greet', 'greet'],
    ['feature/greet.v2', 'feature/greet.v2'],
    ['größer', 'größer'],
  ])('names the branch %j before the first commit', async (name, words) => {
    const { output: said, effects } = await call('git_branch', { name });
    expect(effects).toEqual([{ type: 'branch', suffix: words }]);
    expect(said).toContain(`issuewright/issue-7-${words}`);
    expect(await output('git_branch')).toContain(`* issuewright/issue-7-${words}`);
  });

  it.each([
    'a b',
    'a..b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a//b',
    'a/.b',
    'a@{b',
    'a.lock',
    'a.lock/b',
    'a.',
    'a/',
    '-a',
    '.a',
    '2',
    '',
    'a\u0000b',
    'a\u200bb',
    'a'.repeat(81),
  ])('rejects %j', async (name) => {
    await expect(call('git_branch', { name })).rejects.toBeInstanceOf(TellModel);
  });

  it('does not rename what is pushed, by us or by people', async () => {
    subject.hub.branches.push('issuewright/issue-7');
    await expect(call('git_branch', { name: 'late' })).rejects.toThrow('cannot be renamed');
    subject.hub.branches.pop();
    await call('git_branch', { name: 'in-time' });
    await write('a.txt', '1');
    await call('commit', { message: 'One' });
    await expect(call('git_branch', { name: 'late' })).rejects.toThrow('cannot be renamed');
    await expect(call('git_branch', { name: 'in-time' })).resolves.toBeDefined();
  });
});
