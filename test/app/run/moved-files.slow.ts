import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TryLater } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { openService, type Service } from '../support.ts';

const MINUTE = 60_000;

let service: Service;
beforeAll(async () => {
  service = await openService({
    '.github/issuewright.yml': 'tools: { rename_files: true }\n',
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'old/c.txt': 'c\n',
  });
});
afterAll(() => service.close());

it('are still moved when the run resumes after an interruption, and in the commit', async () => {
  const renames = [
    { path: 'a.txt', new_path: 'b.txt' },
    { path: 'b.txt', new_path: 'a.txt' },
  ];
  service.model.says(
    json(['rename_file', { path: 'old', new_path: 'docs/new' }]),
    json(['move_file', { path: 'README.md', new_path: 'old' }]),
    json(['delete_file', { path: 'docs/new/c.txt' }]),
    json(
      ['rename_files', { renames }],
      ['edit_file', { path: 'a.txt', old_text: 'b', new_text: 'B' }],
    ),
    json(['write_file', { path: 'late.txt', content: '' }]),
    new TryLater('busy'),
    json(['delete_file', { path: 'late.txt' }]),
    json(['read_file', { path: 'old' }]),
    json(['finish', { summary: 'Moved.' }]),
  );
  const session = await service.start('Move things');
  await session.advance();
  service.letPass(MINUTE);
  await session.advance();
  expect(session.onBranch('')).toBe('tree issuewright/issue-1:\n\n.github/\na.txt\nb.txt\nold');
  expect(session.onBranch('a.txt')).toBe('B');
  expect(session.onBranch('b.txt')).toBe('a');
  expect(session.onBranch('old')).toBe('# Greeter');
});
