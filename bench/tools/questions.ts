import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { makePlace } from '../../src/workspace/search/place.ts';
import { WorkspaceSearch } from '../../src/workspace/search/search.ts';

const FIRST = 5;

// Written before the search was: nothing in it was made to fit the second set.
const Sets = z.array(
  z.object({
    package: z.string(),
    questions: z.array(z.object({ question: z.string(), files: z.array(z.string()) })),
  }),
);

export interface Score {
  readonly package: string;
  readonly questions: number;
  /** With a right file among the first five. */
  readonly found: number;
  readonly missed: readonly string[];
}

/** Asks each installed package its questions. */
export async function askQuestions(): Promise<Score[]> {
  const text = readFileSync(new URL('./questions.json', import.meta.url), 'utf8');
  const scores: Score[] = [];
  for (const { package: name, questions } of Sets.parse(JSON.parse(text))) {
    const root = fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url));
    const search = new WorkspaceSearch(makePlace(root));
    const missed: string[] = [];
    for (const { question, files } of questions) {
      const request = { text: question, paths: ['.'], maxFiles: FIRST, maxPassages: 1, span: 10 };
      const answer = await search.rank(request, new AbortController().signal);
      if (!answer.files.some(({ path }) => files.includes(path))) missed.push(question);
    }
    await search.close();
    const found = questions.length - missed.length;
    scores.push({ package: name, questions: questions.length, found, missed });
  }
  return scores;
}
