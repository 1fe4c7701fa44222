// What the tests of the store share: events on GitHub, sessions that no other test uses, waiting.
import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import type { NewEntry } from '../../src/session/entry.ts';
import type { Arrival, Intent } from '../../src/contracts/intent.ts';
import type { OpenStore } from '../../src/store/open.ts';
import type { AcceptResult } from '../../src/store/store.ts';
import { PATIENCE_MS } from '../support/patience.ts';

export const silent = pino({ level: 'silent' });

/** For conditions that nothing announces: looked at again and again. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !(await holds()); await pause(10))
    if (Date.now() > deadline) throw new Error(`${what}: not within ${PATIENCE_MS} ms`);
}

export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'iw-store-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface Happening {
  readonly intent?: Intent;
  readonly on?: 'issue' | 'pull_request';
  readonly number?: number;
  readonly meaning?: string;
}

export const START: Intent = { kind: 'start', label: 'agent', title: 'A title', body: 'A body' };
export const comment = (body: string): Intent => ({
  kind: 'comment',
  on: 'issue',
  commentId: 1,
  body,
});

/** Happenings in one repository, which no other test uses. */
export function newRepository(): (happening?: Happening) => Arrival {
  const repository = { id: randomInt(2 ** 40), owner: 'example', name: 'sample' };
  return ({ intent = START, on = 'issue', number = 1, meaning = randomUUID() } = {}) => ({
    installation: 7_000_000_000,
    repository,
    thread: { on, number },
    sender: { login: 'maintainer', id: 9 },
    meaning,
    intent,
  });
}

/** US dollars that the store says a repository has cost since then. */
export const spentSince = async (
  store: Pick<OpenStore, 'spent'>,
  repository: number,
  since: Date,
): Promise<number> => {
  const query = { repository, person: undefined, day: since, month: since };
  return (await store.spent(query)).repositoryDay.dollars;
};

export const delivery = (id: string = randomUUID()) => ({ id, event: 'issues' });

export function sessionOf(accepted: AcceptResult): string {
  if (accepted.outcome !== 'accepted') throw new Error(`not accepted: ${accepted.outcome}`);
  return accepted.session;
}

/** A session of its own, with the entries `opened` and `received`. */
export const newSession = async (store: OpenStore): Promise<string> =>
  sessionOf(await store.accept(newRepository()(), delivery()));

export const inputTaken = (text: string): NewEntry => ({ type: 'input_read', upTo: 2, text });

export const reply = (cost: number | null): Extract<NewEntry, { type: 'reply' }> => ({
  type: 'reply',
  protocol: 'native',
  text: 'a reply',
  thought: '',
  calls: [],
  answer: null,
  fault: null,
  stop: 'end',
  native: null,
  usage: { input: 2, cached: 0, written: 0, output: 1, reasoning: 0 },
  cost,
  durationMs: 5,
});

/** Works both queues and remembers who was woken. */
export async function recordWakes(store: OpenStore) {
  const woken = { advance: [] as string[], publish: [] as string[] };
  const lastSeqs = new Map<string, number>();
  for (const queue of ['advance', 'publish'] as const)
    await store.queue.work(queue, { concurrency: 2 }, async (session) => {
      woken[queue].push(session);
      if (queue === 'publish') lastSeqs.set(session, (await store.session(session))?.lastSeq ?? 0);
    });
  const count = (queue: 'advance' | 'publish', session: string) =>
    woken[queue].filter((id) => id === session).length;
  return {
    count,
    /** How far the journal went when `publish` was woken last. */
    seen: (session: string) => lastSeqs.get(session),
    /** Resolves when the session was woken that often. */
    times: (queue: 'advance' | 'publish', session: string, times: number) =>
      until(`${queue} woken ${times} times`, () => count(queue, session) >= times),
  };
}
