// What a session needs of a service, with a GitHub that takes everything at once.
import { pino } from 'pino';
import { publish } from '../../src/app/publish/publish.ts';
import { KeptJournals } from '../../src/app/service/journal-tracker.ts';
import { sessionReader } from '../../src/app/session-reader.ts';
import type { GitHubRepository } from '../../src/github/repository.ts';
import { KeyedMutex } from '../../src/lib/keyed-mutex.ts';
import { openStore } from '../../src/store/open.ts';
import { createPageServer } from '../../src/web/page-server.ts';
import { operatorWith } from '../loop/our-session.ts';
import { Meter } from './costs.ts';

export const log = pino({ level: 'error' });
const TOKEN = 'a-token-of-the-bench';

/** Every publication succeeds; whatever else is asked of it fails. */
function quickGitHub(): GitHubRepository {
  let id = 0;
  const published = () => Promise.resolve({ id: ++id, url: `https://github.example/${id}` });
  const answers: Partial<GitHubRepository> = {
    gitUrl: 'https://github.example/example/bench.git',
    comment: published,
    react: () => Promise.resolve(++id),
    unreact: () => Promise.resolve(),
    lacking: () => Promise.resolve(undefined),
  };
  return answers as GitHubRepository;
}

export type BenchService = Awaited<ReturnType<typeof benchService>>;

/** A store, and what reads it: publishing and the session pages. */
export async function benchService(dataDir: string) {
  const meter = new Meter();
  const store = await openStore({ dataDir, log });
  const parts = {
    store,
    repository: quickGitHub,
    serves: () => true,
    admissions: new KeyedMutex(),
    allowedBots: [],
    operator: operatorWith({}),
    pageUrl: (session: string) => `https://pages.example/sessions/${session}`,
    writeBudget: (installation: number) => store.writeBudget(installation),
    log,
  };
  const pages = createPageServer({ log, pages: sessionReader(store), token: TOKEN });
  const address = await pages.listen('127.0.0.1', 0);
  const journals = new KeptJournals(store);
  return {
    meter,
    store,
    /** `cold`: by a process that has not read the session yet. */
    publish: (id: string, { cold = false } = {}) =>
      publish(parts, id, cold ? new KeptJournals(store) : journals),
    /** What a page that is open asks for. */
    async updatePage(id: string, after: number): Promise<void> {
      const answer = await fetch(`${address}/sessions/${id}/events?after=${after}`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      if (!answer.ok) throw new Error(`the page answered ${answer.status}`);
      const decoder = new TextDecoder();
      for await (const chunk of answer.body ?? [])
        if (decoder.decode(chunk as Uint8Array).includes('data: ')) break;
    },
    async close(): Promise<void> {
      await pages.close();
      await store.close();
    },
  };
}
