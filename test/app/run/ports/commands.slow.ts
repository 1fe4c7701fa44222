import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TryLater } from '../../../../src/lib/errors.ts';
import { json } from '../../../agent/support.ts';
import { entriesOf, openService, SHELLS, type Service } from '../../support.ts';

const MINUTE = 60_000;
const sh = (command: string, more: object = {}): [string, object] => [
  'run_shell_command',
  { command, ...more },
];

let service: Service;
beforeAll(async () => {
  service = await openService(
    {
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'run.sh': 'true\n',
      'src/deep/c.txt': 'c\n',
      '.gitignore': 'node_modules/\n',
      '.github/workflows/ci.yml': 'on: push\n',
      '.github/issuewright.yml': [
        'setup: mkdir -p node_modules && echo set up >> node_modules/log && cat package-lock.json',
        'tools: { git_status: true }',
        'test: "false"',
        '',
      ].join('\n'),
      'package-lock.json': '{"version": 1}\n',
    },
    { shells: SHELLS },
  );
});
afterAll(() => service.close());

/** Lets the model make these calls, one reply each, to the end; answers what came of each. */
async function play(title: string, ...calls: [string, object][]) {
  const session = await service.start(title);
  service.model.says(...calls.map((call) => json(call)), json(['finish', { summary: 'Done.' }]));
  await session.advance();
  const entries = await session.journal();
  return { session, entries, calls: entriesOf(entries, 'call_finished') };
}

describe('what a command changed', () => {
  it('is there when the run resumes elsewhere, and in the commit', async () => {
    service.model.says(
      json(['write_file', { path: 'early.txt', content: 'early\n' }]),
      json(
        sh(
          [
            'echo A > a.txt && rm b.txt && chmod +x run.sh && ln -s a.txt link',
            'mv src/deep/c.txt src/c.txt && rmdir src/deep && mkdir -p new/dir && echo n > new/dir/n.txt',
            'echo more >> early.txt && touch src/empty && echo x > node_modules/ignored',
          ].join(' && '),
        ),
      ),
      json(sh('rm -r src && ln -s new src && echo late > late.txt')),
      new TryLater('busy'),
      json(sh('rm late.txt && cat src/dir/n.txt early.txt && ls node_modules')),
      json(['git_status', {}]),
      json(['finish', { summary: 'Done.' }]),
    );
    const session = await service.start('Change things');
    await session.advance();
    service.letPass(MINUTE);
    await session.advance();
    const entries = await session.journal();
    const calls = entriesOf(entries, 'call_finished');
    expect(calls[3]?.output).toContain('n\nearly\nmore\nlog\n'.trim());
    expect(calls[4]?.output).not.toContain('late.txt');
    expect(session.onBranch('')).toBe(
      'tree issuewright/issue-1:\n\n.github/\n.gitignore\nREADME.md\na.txt\nearly.txt\nlink\nnew/\npackage-lock.json\nrun.sh\nsrc',
    );
    expect(session.onBranch('a.txt')).toBe('A');
    expect(session.onBranch('src')).toBe('new');
    expect(session.modeOf('run.sh')).toBe('100755');
    expect(session.modeOf('link')).toBe('120000');
    expect(calls.map(({ changedFiles: changed }) => changed)).toEqual([
      1,
      9,
      4,
      1,
      undefined,
      undefined,
    ]);
  });

  it('counts only what it changed, and not what was changed before it', async () => {
    const { calls } = await play(
      'Count',
      ['write_file', { path: 'x.txt', content: 'x\n' }],
      sh('cat x.txt'),
      sh('echo y > y.txt'),
      sh('ls'),
      sh('echo z > y.txt'),
      sh('rm y.txt'),
    );
    expect(calls.map(({ changedFiles: changed }) => changed)).toEqual([
      1,
      undefined,
      1,
      undefined,
      1,
      1,
      undefined,
    ]);
  });

  it('is not kept in places that are closed to writing, and the model is told', async () => {
    const { session, calls } = await play(
      'Workflows',
      sh(
        'echo evil > .github/workflows/ci.yml; echo new > .github/workflows/new.yml; echo ok > ok.txt',
      ),
      sh('cat .github/workflows/ci.yml; ls .github/workflows'),
      sh(String.raw`printf x > "$(printf 'new\nline')"; printf x > 'back\slash'; ls`),
    );
    expect(calls[0]?.output).toMatch(
      /It changed the file "ok\.txt"\.\nIt changed 2 files: "\.github\/workflows\/ci\.yml", "\.github\/workflows\/new\.yml", which may not be written\. Those changes were undone/,
    );
    expect(calls[1]?.output).toMatch(/on: push\nci\.yml$/);
    expect(calls[2]?.output).toMatch(/changed 2 files/);
    expect(session.onBranch('.github/workflows')).toMatch(/workflows\s+ci\.yml$/);
  });

  it('is undone if it is far too much, and nothing of it is stored', async () => {
    const { session, calls } = await play(
      'Flood',
      ['write_file', { path: 'mine.txt', content: 'mine\n' }],
      sh(
        'rm mine.txt b.txt; echo "" > .gitignore; head -c 40000000 /dev/zero > big.bin; echo done',
      ),
      sh('cat mine.txt b.txt; ls; cat node_modules/log'),
      sh('mkdir many && cd many && seq 1 6000 | xargs touch && echo made'),
      sh('ls'),
    );
    expect(calls[1]?.output).toMatch(
      /It changed more than 32 MiB in files that are not in \.gitignore/,
    );
    expect(calls[1]?.output).toContain('so all its changes were undone');
    expect(calls[1]?.changedFiles).toBeUndefined();
    expect(calls[2]?.output).toContain('mine\nb\n');
    expect(calls[2]?.output).toContain('set up');
    expect(calls[2]?.output).not.toContain('big.bin');
    expect(calls[3]?.output).toMatch(/more than 5000 files/);
    expect(calls[4]?.output).not.toContain('many');
    expect(session.onBranch('mine.txt')).toBe('mine');
  });

  it('survives files and directories that it closed to everyone, and names that are not UTF-8', async () => {
    const { session, calls } = await play(
      'Closed',
      sh(
        String.raw`mkdir shut && echo s > shut/s.txt && chmod 000 shut/s.txt shut && mkfifo pipe && printf x > "$(printf 'bad\377')" && rm a.txt && mkfifo a.txt`,
      ),
      sh('rm a.txt && mkdir a.txt && echo inner > a.txt/inner.txt'),
    );
    expect(calls.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(session.onBranch('shut/s.txt')).toBe('s');
    expect(session.onBranch('a.txt/inner.txt')).toBe('inner');
  });
});

describe('the setup of a repository', () => {
  it('runs once for a workspace, and again when a lock file has changed', async () => {
    const { entries, calls } = await play(
      'Set up',
      sh('cat node_modules/log'),
      sh('echo "{}" > package-lock.json'),
      sh('cat node_modules/log'),
      sh('cat node_modules/log'),
    );
    const runs = calls.map(({ effects }) => effects.filter(({ type }) => type === 'setup').length);
    expect(runs).toEqual([1, 0, 1, 0, 0]);
    expect(calls[3]?.output).toMatch(/set up\nset up\n\(/);
    const [setup] = entriesOf(entries, 'call_finished')[0]!.effects;
    expect(setup).toMatchObject({ type: 'setup', exitCode: 0, output: '{"version": 1}' });
  });
});

describe('a command or test run that fails', () => {
  it.each([
    ['a command', sh('echo broken > a.txt; exit 2'), /^Exit code 2/, /^Committed/],
    [
      'the tests',
      ['run_tests', {}] as [string, object],
      /Exit code 1/,
      /^Committed .*\(The tests before it in this reply did not pass\.\)$/s,
    ],
  ])('is a result, and the commit after it is made: %s', async (what, call, words, told) => {
    service.model.says(
      json(['write_file', { path: 'a.txt', content: 'broken\n' }], call, [
        'commit',
        { message: 'Break it' },
      ]),
      json(['finish', { summary: 'I cannot do it.', outcome: 'cannot' }]),
    );
    const session = await service.start(`Break it: ${what}`);
    await session.advance();
    const [, failed, commit] = entriesOf(await session.journal(), 'call_finished');
    expect(failed).toMatchObject({ ok: false, output: expect.stringMatching(words) });
    expect(failed?.effects.length).toBeGreaterThan(0);
    expect(commit).toMatchObject({ ok: true, output: expect.stringMatching(told) });
  });
});
