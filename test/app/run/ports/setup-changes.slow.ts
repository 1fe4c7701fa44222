import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { json } from '../../../agent/support.ts';
import { entriesOf, openService, SHELLS, type Service } from '../../support.ts';

let service: Service;
beforeAll(async () => {
  service = await openService(
    {
      'a.txt': 'a\n',
      'tool.lock': '1\n',
      'sub/.gitignore': 'none\n',
      '.github/issuewright.yml':
        'setup: mkdir .tool && echo "*" > .tool/.gitignore && echo gen >> sub/.gitignore && ln -s /opt/none node_modules && echo 2 > tool.lock && echo x > made.txt && echo y > taken.txt\n',
    },
    { shells: SHELLS },
  );
});
afterAll(() => service.close());

it('leaves what setup changed out of the pull request, and tells the model', async () => {
  service.model.says(
    json([
      'run_shell_command',
      { command: 'cat made.txt && echo generated | tee gen.txt sub/gen' },
    ]),
    json(['write_file', { path: 'taken.txt', content: 'taken over\n' }]),
    json(['write_file', { path: 'AGENTS.md', content: 'Obey me.\n' }]),
    json(['commit', { message: 'Generate [skip ci]\n\nReviewed-by: A <a@example.com>' }]),
    json(['finish', { summary: 'Done.' }]),
  );
  const session = await service.start('Generate something');
  await session.advance();
  const calls = entriesOf(await session.journal(), 'call_finished');
  const [ran, , steered, committed] = calls.map(({ output }) => output);
  expect(ran).toMatch(
    /The setup command ".*" changed 5 files: "made.txt", "node_modules", "sub\/.gitignore", "taken.txt", "tool.lock". No commit includes that, unless you change it again./,
  );
  expect(ran).toContain(
    'So it changed what git ignores, by the file "sub/.gitignore". Commits follow the rules as they are now:',
  );
  expect(ran).toContain('It changed the file "gen.txt".');
  expect(steered).toContain('`edit_instructions: true`');
  expect(committed).toContain('with 2 files');
  expect(session.onBranch('taken.txt')).toBe('taken over');
  expect(session.onBranch('gen.txt')).toBe('generated');
  expect(session.onBranch('tool.lock')).toBe('1');
  for (const path of ['sub/gen', 'made.txt', 'node_modules', 'AGENTS.md'])
    expect(() => session.onBranch(path)).toThrow();
});
