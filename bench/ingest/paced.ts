import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Repository } from '../../packages/local-github/src/github/state.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import type { Stage } from '../../packages/local-github/src/stage.ts';
import { Child } from '../child.ts';
import { p99, perSecond, quantile } from './accepts.ts';
import type { Origin } from './payloads.ts';
import type { Order, Sent } from './sender.ts';
import { openStageOf, type Tree } from './tree.ts';

const PER_SECOND = 50;
const GOAL_MS = 100;
const SESSIONS = 20;
const SECONDS = 10;
const CONNECTIONS = 32;
const TURN_MS = 1_000;
const PATIENCE_MS = 2 * 60_000;
const PERSON = 'octo-maintainer';
/** The issue whose session waits for a slot, and those whose sessions work. */
const LAST = SESSIONS + 1;
const WORKING = Array.from({ length: SESSIONS }, (_, at) => at + 1);

/** They work for longer than the deliveries come. */
const SCRIPT: Script = {
  reviews: [],
  turns: Array.from({ length: 200 }, (_, at) => ({
    say: {
      plan: 'One step further.',
      tool_calls: [
        { tool_name: 'read_file', arguments: { path: at % 2 === 0 ? 'words.txt' : 'README.md' } },
      ],
    },
    delay_ms: TURN_MS,
    times: 1,
  })),
};

/** On the issues of all sessions, in turns, or on that of one session that waits for a slot. */
const PLACES = ['all sessions', 'one session'] as const;
type Place = (typeof PLACES)[number];

/**
 * How long an answer takes at a steady pace, to a whole service while its sessions work: comments of a stranger, whom the
 * service looks up, and ignores.
 */
export async function benchPaced(trees: readonly Tree[]): Promise<string> {
  const lines = [
    `${PER_SECOND} comments a second for ${SECONDS} s while ${SESSIONS} sessions work.`,
    '',
    '| | comments on | accepted a second | p50 ms | p99 ms | worst ms | goal for p99 |',
    '|---|---|---|---|---|---|---|',
  ];
  const sender = new Child(new URL('sender.ts', import.meta.url));
  try {
    for (const place of PLACES)
      for (const tree of trees) {
        const sent = await comment(tree, place, sender);
        const { took } = sent;
        const times = [quantile(took, 0.5), p99(sent), Math.max(...took)];
        const cells = [perSecond(sent).toFixed(0), ...times.map((ms) => ms.toFixed(1))];
        lines.push(`| ${[tree.name, place, ...cells, `≤ ${GOAL_MS} ms`].join(' | ')} |`);
      }
  } finally {
    await sender.close();
  }
  return lines.join('\n');
}

async function comment(tree: Tree, place: Place, sender: Child): Promise<Sent> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const stage = await openStageOf(tree, {
    directory,
    owner: 'example',
    people: [PERSON],
    scripts: [SCRIPT],
    environment: { PATH: process.env['PATH'] ?? '', CONCURRENCY: String(SESSIONS) },
  });
  try {
    const repository = await stage.github.createRepository({
      owner: 'example',
      name: 'words',
      files: { 'README.md': '# Words\n', 'words.txt': 'one\n' },
      collaborators: { [PERSON]: 'admin' },
    });
    await stage.startService();
    await begin(stage, repository);
    const origin: Origin = {
      secret: stage.webhookSecret,
      repository: { id: repository.id, name: repository.name },
      issues: place === 'one session' ? [LAST] : [LAST, ...WORKING],
    };
    const order: Order = {
      port: Number(new URL(stage.serviceUrl).port),
      kind: 'comments',
      senders: CONNECTIONS,
      ms: SECONDS * 1000,
      paced: { perSecond: PER_SECOND, origin },
    };
    return (await sender.ask(order)) as Sent;
  } finally {
    await stage.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Resolves when all sessions work and one more waits for a slot. */
async function begin({ github, model }: Stage, repository: Repository): Promise<void> {
  const label = (at: number): void =>
    void github
      .as(PERSON)
      .openIssue(repository, { title: `Add the word ${at}`, body: '', labels: ['issuewright'] });
  for (let at = 0; at < SESSIONS; at += 1) label(at);
  await model.untilAsked(2 * SESSIONS);
  label(SESSIONS);
  const last = (): boolean => repository.comments.some((one) => one.issueNumber === LAST);
  await github.waitFor(last, { what: 'the last session to wait', timeoutMs: PATIENCE_MS });
}
