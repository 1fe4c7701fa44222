import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { installedSets } from '../../../bench/tools/questions.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { ask, filesIn, indexed } from './indexed.ts';

describe.each(installedSets())('questions about $name', ({ root = '', questions }) => {
  it('have the same answers with an index', async () => {
    const directory = join(temporaryDirectory(), 'words');
    const { index, search, plain, failures } = indexed(root, filesIn(root), { directory });
    await ask(search, 'anything');
    expect((await index.built())?.files).toBeGreaterThan(10);
    for (const { question } of questions)
      expect(await ask(search, question)).toEqual(await ask(plain, question));
    expect(failures).toEqual([]);
  });
});
