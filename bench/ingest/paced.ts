import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Repository } from '../../playground/github/state.ts';
import type { Script } from '../../playground/model/script.ts';
import { openStage, type Stage } from '../../playground/stage.ts';
import type { Origin } from './payloads.ts';
import type { Sent } from './sender.ts';

export const PER_SECOND = 200;
export const SESSIONS = 20;
const SECONDS = 20;
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

export interface Paced extends Sent {
  /** Requests of the sessions to the model meanwhile. */
  readonly turns: number;
}

export type SendPaced = (port: number, paced: PacedOrder) => Promise<Sent>;

interface PacedOrder {
  readonly connections: number;
  readonly ms: number;
  readonly perSecond: number;
  readonly origin: Origin;
}

/** On the issues of all sessions, in turns, or on that of one session that waits for a slot. */
export type Where = 'all sessions' | 'one session';

/**
 * Comments of a stranger, at a steady pace, to a whole service while its sessions work. The service looks up who wrote them,
 * too, and ignores them.
 */
export async function whileSessionsWork(where: Where, send: SendPaced): Promise<Paced> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const stage = await openStage({
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
    const before = stage.model.requests.length;
    const sent = await send(Number(new URL(stage.serviceUrl).port), {
      connections: CONNECTIONS,
      ms: SECONDS * 1000,
      perSecond: PER_SECOND,
      origin: {
        secret: stage.webhookSecret,
        repository: { id: repository.id, name: repository.name },
        issues: where === 'one session' ? [LAST] : [LAST, ...WORKING],
      },
    });
    return { ...sent, turns: stage.model.requests.length - before };
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
