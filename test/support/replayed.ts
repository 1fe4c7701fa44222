import { pino } from 'pino';
import { replayJournal } from '../../src/app/replay/replay.ts';
import { control } from '../../src/store/control.ts';

const MOST = 10_000;

/** What is different when the sessions of a database are replayed, in words; and how many steps were compared. */
export async function replayAll(
  place: { readonly databaseUrl: string } | { readonly dataDir: string },
): Promise<{ readonly compared: number; readonly differences: readonly string[] }> {
  const log = pino({ level: 'silent' });
  const store = { databaseUrl: undefined, dataDir: '/unused', ...place, log };
  const journals = await control(store, async ({ sessions }) =>
    Promise.all(
      (await sessions.sessions({ limit: MOST })).map(async ({ id, issue }) => ({
        id,
        issue,
        entries: await sessions.journal(id),
      })),
    ),
  );
  let compared = 0;
  const differences: string[] = [];
  for (const { id, issue, entries } of journals) {
    const replayed = await replayJournal(id, entries);
    compared += replayed.compared;
    for (const one of replayed.differences) differences.push(`#${issue} ${JSON.stringify(one)}`);
  }
  return { compared, differences };
}
