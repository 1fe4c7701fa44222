// The repository is taken from the installation while a run works, and no event tells of it: what GitHub denies to the tokens of
// before is no end of the run.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const HOUR = 3_600_000;

describe('a repository that is taken from the installation', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  it.each([
    ['a commit', json(['commit', { message: 'Add notes' }])],
    ['the end of the work', json(['finish', { summary: 'Notes are there.' }])],
  ])('before %s defers the run, which continues once it is back', async (before, call) => {
    const { installations } = service.github;
    service.model.says(
      json(['write_file', { path: 'NOTES.md', content: `Before ${before}.\n` }]),
      () => {
        installations.remove(service.repository);
        return Promise.resolve(call);
      },
      json(['finish', { summary: 'Notes are there.' }]),
    );
    const session = await service.start(`Lose it before ${before}`);
    await session.advance();
    expect(entriesOf(await session.journal(), 'run_deferred')).toMatchObject([
      { cause: 'installation', reason: expect.stringMatching(/not installed on example\//) },
    ]);
    installations.add(service.repository, 1);
    service.letPass(HOUR);
    await session.advance();
    expect(session.onBranch('NOTES.md')).toBe(`Before ${before}.`);
    const ends = entriesOf(await session.journal(), 'run_ended');
    expect(ends).toMatchObject([{ end: { kind: 'finished' } }]);
  });
});
