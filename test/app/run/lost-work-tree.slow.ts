// Something removes the work tree of a session while it works: what the journal has is enough to make it again.
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TEMPORARY_PREFIX } from '../../../src/lib/directories.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const MINUTE = 60_000;

function removeWorkTrees(): void {
  const own = readdirSync(tmpdir()).filter((name) => name.startsWith(TEMPORARY_PREFIX));
  for (const name of own) rmSync(join(tmpdir(), name, 'tree'), { recursive: true, force: true });
}

describe('a work tree that was removed', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  it.each([
    ['reads a file', ['read_file', { path: 'README.md' }]],
    ['writes a file', ['write_file', { path: 'MORE.md', content: 'More.\n' }]],
    ['searches', ['search_code', { pattern: 'Notes' }]],
    ['asks git', ['git_status', {}]],
    ['commits', ['commit', { message: 'Add notes' }]],
  ] as const)('is named when the agent %s, and is made again', async (what, [tool, args]) => {
    service.model.says(
      json(['write_file', { path: 'NOTES.md', content: `${what}.\n` }]),
      () => {
        removeWorkTrees();
        return Promise.resolve(json([tool, args]));
      },
      json(['commit', { message: 'Add notes' }]),
      json(['finish', { summary: 'Notes are there.' }]),
    );
    const session = await service.start(`Someone cleans while it ${what}`);
    await session.advance();
    const [deferred] = entriesOf(await session.journal(), 'run_deferred');
    expect(deferred?.reason).toMatch(/work tree of this session was removed.*`issuewright-\*`/);
    service.letPass(MINUTE);
    await session.advance();
    expect(session.onBranch('NOTES.md')).toBe(`${what}.`);
    const ends = entriesOf(await session.journal(), 'run_ended');
    expect(ends).toMatchObject([{ end: { kind: 'finished' } }]);
  });
});
