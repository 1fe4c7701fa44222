import { plainBody } from '../../../src/session/texts/markdown.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fold } from '../../../src/session/fold/fold.ts';
import { statusComment } from '../../../src/session/texts/status-comment.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const FILE = '.github/issuewright.yml';

let service: Service;
beforeAll(async () => {
  service = await openService(
    {
      [FILE]:
        'language: German\ndraft: perhaps\nlimits: {turns: 3}\ntools: {git_log: true}\ncache: {paths: [node_modules], key: [package-lock.json]}\n',
    },
    { owners: { [FILE]: 'colour: red\nlimits: {turns: 2}\npaths: {deny: ["*.pem"]}\n' } },
  );
});
afterAll(() => service.close());

it("follows its repository's settings and its owner's, and says on the issue what it does not follow", async () => {
  service.model.says(
    json(['write_file', { path: 'key.pem', content: 'New.\n' }]),
    json(['write_file', { path: 'docs/new.md', content: 'New.\n' }]),
    json(['finish', { summary: 'Never said: two replies are the limit.' }]),
  );
  const session = await service.start('Write something');
  await session.advance();
  const journal = await session.journal();

  const [prepared] = entriesOf(journal, 'run_prepared');
  expect(prepared?.warnings).toEqual([
    '`.github/issuewright.yml` of `example/.github`, line 1: `colour` is not a setting; ignored',
    '`.github/issuewright.yml`, line 2: `draft` must be `true` or `false`; the default is used',
    '`cache` has no effect without `setup`: it keeps what the commands there install',
  ]);
  const comment = plainBody(statusComment(fold(journal), { now: new Date().toISOString() }));
  expect(comment).toContain('Some settings have no effect');
  for (const warning of prepared?.warnings ?? []) expect(comment).toContain(`\n- ${warning}`);

  expect(prepared?.instructions).toMatch(/## Language\n\n.*: German\./);
  expect(prepared?.instructions).toContain('git_log');
  expect(entriesOf(journal, 'call_finished').map(({ ok }) => ok)).toEqual([false, true]);
  expect(entriesOf(journal, 'run_ended')).toMatchObject([
    { end: { kind: 'limit', reason: expect.stringMatching(/\b2\b/) } },
  ]);
});
