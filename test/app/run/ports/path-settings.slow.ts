import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { json } from '../../../agent/support.ts';
import { entriesOf, openService, type Service } from '../../support.ts';

let service: Service;
beforeAll(async () => {
  service = await openService({
    '.github/issuewright.yml': 'paths:\n  allow: [docs/**]\n  deny: ["*.pem"]\n',
    'docs/key.pem': 'secret',
  });
});
afterAll(() => service.close());

it('lets a run read and write what the settings of its repository let it, and nothing else', async () => {
  service.model.says(
    json(['read_file', { path: 'docs/key.pem' }]),
    json(['list_directory', { path: 'docs' }]),
    json(['write_file', { path: 'src/new.md', content: 'New.\n' }]),
    json(['write_file', { path: 'docs/new.md', content: 'New.\n' }]),
    json(['finish', { summary: 'Done.' }]),
  );
  const session = await service.start('Write something');
  await session.advance();
  const calls = entriesOf(await session.journal(), 'call_finished');
  expect(calls.map(({ ok, output }) => [ok, output])).toMatchObject([
    [false, expect.stringContaining('repository settings deny access to')],
    [true, 'The directory is empty.'],
    [false, expect.stringContaining('allow writes only to "docs/**"')],
    [true, expect.stringContaining('Created "docs/new.md"')],
    [true, expect.anything()],
  ]);
  expect(session.onBranch('docs/new.md')).toBe('New.');
});
