import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import type { Stage } from '../../packages/local-github/src/stage.ts';
import { Child } from '../child.ts';
import { median } from '../median.ts';
import { quantile } from './accepts.ts';
import { openStageOf, type Tree } from './tree.ts';

const ROUNDS = 3;
/**
 * Milliseconds that a request to GitHub takes. Of 10,000 requests to one endpoint of api.github.com, the median was 206
 * (gist.github.com/mbostock/5503544, 2013).
 */
const REQUEST_MS = 200;
/** All work at once. */
const CONCURRENCY = 100;
/** Labels within a second, and the seconds in which people see that they were noticed. */
const GOALS = [
  { labels: 20, seconds: 3 },
  { labels: 80, seconds: 6 },
];
const TURNS = 10;
const TURN_MS = 2_000;
const PATIENCE_MS = 3 * 60_000;
const PERSON = 'octo-maintainer';

const turn = (tool_name: string, given: Record<string, unknown>): Script['turns'][number] => ({
  say: { plan: 'One step further.', tool_calls: [{ tool_name, arguments: given }] },
  delay_ms: TURN_MS,
  times: 1,
});

/** The sessions work while others are labelled. */
const SCRIPT: Script = {
  reviews: [],
  turns: [
    ...Array.from({ length: TURNS }, (_, at) =>
      turn('read_file', { path: at % 2 === 0 ? 'words.txt' : 'README.md' }),
    ),
    turn('finish', { summary: 'Nothing is to be done.', outcome: 'nothing_to_do' }),
  ],
};

/** How soon people see 👀 on the issues that they label within one second. */
export async function benchEyes(trees: readonly Tree[]): Promise<string> {
  const lines = [
    `Label → 👀, p95 (median, last), medians of ${ROUNDS} rounds in turns. Each request to GitHub takes ${REQUEST_MS} ms more.`,
    '',
    `| labels in a second | ${trees.map(({ name }) => name).join(' | ')} | goal for p95 |`,
    `|---|${'---|'.repeat(trees.length)}---|`,
  ];
  for (const { labels, seconds } of GOALS) {
    const rounds = trees.map(() => [] as number[][]);
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [at, tree] of trees.entries()) rounds[at]?.push(await label(tree, labels));
    lines.push(`| ${[labels, ...rounds.map(shown), `≤ ${seconds} s`].join(' | ')} |`);
  }
  return lines.join('\n');
}

function shown(rounds: readonly (readonly number[])[]): string {
  const of = (share: number): string =>
    `${(median(rounds.map((took) => quantile(took, share))) / 1000).toFixed(2)} s`;
  return `${of(0.95)} (${of(0.5)}, ${of(1)})`;
}

async function label(tree: Tree, labels: number): Promise<number[]> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const stage = await openStageOf(tree, {
    directory,
    owner: 'example',
    people: [PERSON],
    scripts: [SCRIPT],
    environment: { PATH: process.env['PATH'] ?? '', CONCURRENCY: String(CONCURRENCY) },
  });
  const given = [new URL(stage.github.url).host, String(REQUEST_MS)];
  const slow = new Child(new URL('slow-github.ts', import.meta.url), given);
  try {
    await stage.startService({ GHE_HOST: `127.0.0.1:${(await slow.said()) as number}` });
    return await labelAll(stage, labels);
  } finally {
    await stage.close();
    await slow.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Resolves with the milliseconds until each has 👀. */
async function labelAll({ github }: Stage, labels: number): Promise<number[]> {
  const repository = await github.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'README.md': '# Words\n', 'words.txt': 'one\n' },
    collaborators: { [PERSON]: 'admin' },
  });
  const labelled = new Map<number, number>();
  const took = new Map<number, number>();
  const look = (): boolean => {
    for (const { number, reactions } of repository.issues)
      if (!took.has(number) && reactions.some(({ content }) => content === 'eyes'))
        took.set(number, performance.now() - (labelled.get(number) ?? Number.NaN));
    return took.size === labels;
  };
  const seen = github.waitFor(look, { what: 'every issue to have 👀', timeoutMs: PATIENCE_MS });
  const begun = performance.now();
  for (let at = 0; at < labels; at += 1) {
    const due = begun + (at * 1000) / labels;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    labelled.set(at + 1, performance.now());
    const title = `Add the word ${at}`;
    github.as(PERSON).openIssue(repository, { title, body: '', labels: ['issuewright'] });
  }
  await seen;
  return [...took.values()];
}
