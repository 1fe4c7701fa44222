import { beforeEach, describe, expect, it } from '@jest/globals';
import { bench, type Bench } from './support.ts';

let subject: Bench;
const call = (tool: string, args?: unknown) => subject.call(tool, args);
const output = async (tool: string, args?: unknown) => (await call(tool, args)).output;
const write = (path: string, content: string) => call('write_file', { path, content });

beforeEach(async () => {
  subject = await bench({ 'README.md': 'Sample\n', 'src/a.ts': 'one\ntwo\n' });
});

describe('files that only commands made', () => {
  const make = async (...paths: readonly string[]): Promise<void> => {
    for (const path of paths) {
      await subject.files.write(path, Buffer.from('x'));
      subject.git.made.add(path);
    }
  };
  const committed = (): readonly string[] | undefined =>
    subject.git.commits.at(-1)?.files.map(({ path }) => path);

  it('are listed by a commit that leaves them out, and taken by one that names them', async () => {
    await write('src/a.ts', 'changed\n');
    await make('__pycache__/a.pyc', 'out.txt');
    const LEFT =
      'Left out, because only commands made them: "__pycache__/a.pyc", "out.txt". To include them, commit by name: files, or a directory.';
    const { output: said, effects } = await call('commit', { message: 'x' });
    expect(said).toMatch(/ with 1 file:\n.*src\/a\.ts \(.*\)\n/);
    expect(said.endsWith(`\n${LEFT}`)).toBe(true);
    expect(effects).toMatchObject([{ partial: true }]);
    expect(await output('commit', { message: 'x' })).toBe(
      `Nothing was committed: there are no changes since the last commit. ${LEFT}`,
    );
    await output('commit', { message: 'x', files: ['.'] });
    expect(committed()).toEqual(['src/a.ts']);
    await output('commit', { message: 'x', files: ['.', '__pycache__'] });
    expect(committed()).toEqual(['__pycache__/a.pyc']);
    await output('commit', { message: 'x', files: ['out.txt'] });
    expect(committed()).toEqual(['out.txt']);
  });

  it('are apart from what a later commit takes', async () => {
    await write('src/a.ts', 'changed\n');
    await write('b.ts', '');
    await make('out.txt');
    expect(await output('commit', { message: 'x', files: ['src'] })).toContain(
      '1 changed file left out: a later commit or finish will include it: "b.ts".\n' +
        'Left out, because only commands made it: "out.txt".',
    );
  });

  it('are named by their directory if there are many', async () => {
    await write('b.ts', '');
    await make(...Array.from({ length: 12 }, (_, index) => `deps/p/${index}.js`), 'out.txt');
    expect(await output('commit', { message: 'x' })).toContain(
      'only commands made them: "deps/" (12 files), "out.txt".',
    );
  });

  it('are staged by name, not by "."', async () => {
    await make('out.txt', 'gen/a.ts');
    await call('git_add', { paths: ['.'] });
    expect(await output('git_status')).toContain(
      '\nLeft out until a call names them, because only commands made them:\n  new file:   gen/a.ts\n  new file:   out.txt',
    );
    await call('git_add', { paths: ['gen'] });
    await call('commit', { message: 'x' });
    expect(committed()).toEqual(['gen/a.ts']);
  });
});
