import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { makePlace } from '../../../src/workspace/search/place.ts';
import { WorkspaceSearch } from '../../../src/workspace/search/search.ts';
import { shortly } from './support.ts';

const Sets = z.array(
  z.object({
    package: z.string(),
    questions: z.array(z.object({ question: z.string(), files: z.array(z.string()) })),
  }),
);
const sets = Sets.parse(JSON.parse(readFileSync('bench/tools/questions.json', 'utf8')));

describe.each(sets)('questions about $package', ({ package: name, questions }) => {
  it('find the right file among the first five, 16 of 20 times', async () => {
    const search = new WorkspaceSearch(makePlace(`${process.cwd()}/node_modules/${name}`));
    const missed: string[] = [];
    for (const { question, files } of questions) {
      const best = (await shortly(search).ask(question)).slice(0, 5);
      if (!files.some((file) => best.includes(file))) missed.push(question);
    }
    await search.close();
    expect(questions).toHaveLength(20);
    expect(missed.length).toBeLessThanOrEqual(4);
  });
});
