import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { CodeAnswer } from '../../src/contracts/files.ts';
import { searchCodebase } from '../../src/tools/search/search-codebase.ts';
import { makePlace } from '../../src/workspace/search/walk.ts';
import { WorkspaceSearch } from '../../src/workspace/search/search.ts';

const FIRST = 5;
/** Every third question of a set: nothing was made to fit these. */
const isHeldOut = (index: number): boolean => index % 3 === 2;
const BYTES_PER_TOKEN = 4;

const questions = z.array(
  z.object({
    question: z.string(),
    files: z.array(z.string()),
    functions: z.array(z.string()),
  }),
);
const Installed = z.array(z.object({ package: z.string(), version: z.string(), questions }));
const Cloned = z.array(
  z.object({ name: z.string(), repository: z.url(), commit: z.string(), questions }),
);

export interface QuestionSet {
  readonly name: string;
  /** The directory of the code; `undefined` if it cannot be had. */
  readonly root: string | undefined;
  readonly questions: z.infer<typeof questions>;
}

interface Count {
  readonly found: number;
  readonly named: number;
  readonly questions: number;
}

export interface Score extends Count {
  readonly name: string;
  readonly heldOut: Count;
  /** Of one answer. */
  readonly meanTokens: number;
  readonly mostTokens: number;
  readonly missed: readonly string[];
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));

/** The questions about installed packages. */
export const installedSets = (): QuestionSet[] =>
  Installed.parse(read('./questions.json')).map(({ package: name, questions: some }) => ({
    name,
    root: fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url)),
    questions: some,
  }));

/** The questions about repositories, which are cloned into the temporary directory once. */
export const clonedSets = (): QuestionSet[] =>
  Cloned.parse(read('./cloned-questions.json')).map(
    ({ name, repository, commit, questions: some }) => ({
      name,
      root: clone(repository, commit),
      questions: some,
    }),
  );

function clone(repository: string, commit: string): string | undefined {
  const place = path.join(tmpdir(), `issuewright-questions-${commit}`);
  if (existsSync(place)) return place;
  const made = mkdtempSync(`${place}-`);
  const git = (...args: string[]): void => {
    execFileSync('git', args, { cwd: made, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  try {
    git('init', '-q');
    git('fetch', '-q', '--depth', '1', repository, commit);
    git('checkout', '-q', 'FETCH_HEAD');
  } catch {
    return undefined;
  }
  renameSync(made, place);
  return place;
}

interface Result {
  readonly question: string;
  readonly isFound: boolean;
  readonly isNamed: boolean;
  readonly tokens: number;
  readonly isHeldOut: boolean;
}

/** Asks as a model does, by the tool. A function counts as named if its name is in the answer, at its file. */
export async function scoreSet({ name, root, questions: asked }: QuestionSet): Promise<Score> {
  const search = new WorkspaceSearch(makePlace(root ?? ''));
  const results: Result[] = [];
  for (const [index, { question, files, functions }] of asked.entries()) {
    const { answer, output } = await ask(search, question);
    const isFound = answer.files.slice(0, FIRST).some((file) => files.includes(file.path));
    const words = output
      .split('\n\n')
      .filter((section) => files.includes(section.split('\n', 1)[0] ?? ''))
      .flatMap((section) => section.split(/[^\w$]+/));
    // A question about a document is about no function.
    const isNamed = functions.length === 0 ? isFound : functions.some((one) => words.includes(one));
    const tokens = Buffer.byteLength(output) / BYTES_PER_TOKEN;
    results.push({ question, isFound, isNamed, tokens, isHeldOut: isHeldOut(index) });
  }
  const count = (some: readonly Result[]): Count => ({
    found: some.filter(({ isFound }) => isFound).length,
    named: some.filter(({ isNamed }) => isNamed).length,
    questions: some.length,
  });
  return {
    name,
    ...count(results),
    heldOut: count(results.filter((one) => one.isHeldOut)),
    meanTokens: results.reduce((sum, { tokens }) => sum + tokens, 0) / results.length,
    mostTokens: Math.max(...results.map(({ tokens }) => tokens)),
    missed: results.filter(({ isFound }) => !isFound).map(({ question }) => question),
  };
}

async function ask(
  search: WorkspaceSearch,
  query: string,
): Promise<{ readonly answer: CodeAnswer; readonly output: string }> {
  const { signal } = new AbortController();
  let answer: CodeAnswer = { files: [], searched: 0, tooLarge: [] };
  const watched = {
    grep: search.grep.bind(search),
    find: search.find.bind(search),
    rank: async (...args: Parameters<WorkspaceSearch['rank']>) =>
      (answer = await search.rank(...args)),
  };
  const { output } = await searchCodebase.run(
    { query, path: '.' },
    { search: watched },
    { signal, startedAt: new Date() },
  );
  return { answer, output };
}
