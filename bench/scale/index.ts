import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Repository } from '../../packages/local-github/src/github/state.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import { openStage, type Stage } from '../../packages/local-github/src/stage.ts';
import { memoryOf } from './process.ts';

const SESSIONS = 100;
/** So many labels come within a second; the others a second later. */
const AT_ONCE = 80;
const TURNS = 10;
const TURN_MS = 2_000;
const PATIENCE_MS = 3 * 60_000;
const PERSON = 'octo-maintainer';
const LOOP_DELAY = fileURLToPath(new URL('loop-delay.js', import.meta.url));

const turn = (tool_name: string, given: Record<string, unknown>): Script['turns'][number] => ({
  say: { plan: 'One step further.', tool_calls: [{ tool_name, arguments: given }] },
  delay_ms: TURN_MS,
  times: 1,
});

const SCRIPT: Script = {
  reviews: [],
  turns: [
    // The same call again and again would end the run.
    ...Array.from({ length: TURNS - 2 }, (_, at) =>
      turn('read_file', { path: at % 2 === 0 ? 'words.txt' : 'README.md' }),
    ),
    turn('write_file', { path: 'words.txt', content: 'one\ntwo\n' }),
    turn('finish', { summary: 'The list has the word two.', outcome: 'done' }),
  ],
};

/** Milliseconds, and megabytes. */
interface Figures {
  readonly eyes: readonly number[];
  readonly ready: readonly number[];
  readonly turns: number;
  readonly memory: number;
  readonly loop: { readonly p50: number; readonly p99: number; readonly worst: number };
}

/** Many sessions at once in one process, against a model that takes its time. */
export async function benchScale(): Promise<string> {
  const load = loadavg()[0] ?? Number.NaN;
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const loopFile = path.join(directory, 'loop.json');
  const stage = await openStage({
    directory,
    owner: 'example',
    people: [PERSON],
    scripts: [SCRIPT],
    environment: {
      PATH: process.env['PATH'] ?? '',
      CONCURRENCY: String(SESSIONS),
      NODE_OPTIONS: `--import=${LOOP_DELAY}`,
      LOOP_DELAY_FILE: loopFile,
    },
  });
  try {
    const repository = await stage.github.createRepository({
      owner: 'example',
      name: 'words',
      files: { 'README.md': '# Words\n', 'words.txt': 'one\n' },
      collaborators: { [PERSON]: 'admin' },
    });
    return report(await play(stage, repository, loopFile), load);
  } finally {
    await stage.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function play(stage: Stage, repository: Repository, loopFile: string): Promise<Figures> {
  const { github, model } = stage;
  const { pid } = await stage.startService();
  if (pid === undefined) throw new Error('the service has no process');
  const labelled = new Map<number, number>();
  const seen = new Map<number, number>();
  const ready = new Map<number, number>();
  const since = (number: number): number => performance.now() - (labelled.get(number) ?? 0);
  const look = (): boolean => {
    for (const { number, reactions, pull } of repository.issues) {
      const isSeen = reactions.some(({ content }) => content === 'eyes');
      if (isSeen && !seen.has(number)) seen.set(number, since(number));
      if (pull?.draft === false && !ready.has(number)) ready.set(number, since(number));
    }
    return ready.size === SESSIONS;
  };
  const done = github.waitFor(look, { what: 'every issue to be ready', timeoutMs: PATIENCE_MS });
  const finished = done.catch((error: unknown) => {
    process.stderr.write(`${String(error).slice(0, 200)}\n`);
  });
  for (let at = 0; at < SESSIONS; at += 1) {
    const wait = at < AT_ONCE ? 1_000 / AT_ONCE : at === AT_ONCE ? 1_000 : 0;
    await new Promise((resolve) => setTimeout(resolve, wait));
    const title = `Add the word ${at}`;
    labelled.set(at + 1, performance.now());
    github.as(PERSON).openIssue(repository, { title, body: '', labels: ['issuewright'] });
  }
  await finished;
  return {
    eyes: [...seen.values()],
    ready: [...ready.values()],
    turns: model.requests.length,
    memory: memoryOf(pid).most / 1024,
    loop: JSON.parse(readFileSync(loopFile, 'utf8')) as Figures['loop'],
  };
}

const at = (values: readonly number[], share: number): string => {
  const sorted = values.toSorted((one, other) => one - other);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return value === undefined ? '–' : `${(value / 1000).toFixed(2)} s`;
};

function report({ eyes, ready, turns, memory, loop }: Figures, load: number): string {
  return [
    `${SESSIONS} sessions at once in one process, ${AT_ONCE} labels in the first second, ${TURNS} turns of ${TURN_MS / 1000} s. ` +
      `Load of the machine before: ${load.toFixed(1)}.`,
    '',
    '| | | goal |',
    '| --- | --- | --- |',
    `| ready | ${ready.length} of ${SESSIONS}, the last after ${at(ready, 1)} | |`,
    `| requests of the model | ${turns} | |`,
    `| label → 👀, median / p95 | ${at(eyes, 0.5)} / ${at(eyes, 0.95)} | p95 ≤ 6 s |`,
    `| the most memory of the service, without PostgreSQL | ${memory.toFixed(0)} MB | ≤ 400 MB |`,
    `| event loop late, median / p99 / worst | ${[loop.p50, loop.p99, loop.worst].map((ms) => ms.toFixed(1)).join(' / ')} ms | p99 ≤ 20 ms |`,
  ].join('\n');
}
