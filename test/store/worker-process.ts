// A service that a test will kill: `embedded DIRECTORY` or `url URL`. It says each session that it
// has accepted and each that its handler was woken for, a JSON line each; its handlers never end.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { pino } from 'pino';
import { openStore } from '../../src/store/open.ts';

const say = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);
const [kind, where = ''] = process.argv.slice(2);

try {
  const store = await openStore({
    dataDir: where,
    databaseUrl: kind === 'url' ? where : undefined,
    log: pino({ level: 'silent' }),
  });
  await store.queue.work('advance', { concurrency: 1 }, async (session) => {
    say({ woken: session });
    await once(process, 'never');
  });
  say({ ready: true });
  const repository = { id: Math.floor(Math.random() * 2 ** 40), owner: 'example', name: 'sample' };
  for (let issue = 1; ; issue += 1) {
    const accepted = await store.accept(
      {
        installation: 1,
        repository,
        thread: { on: 'issue', number: issue },
        sender: { login: 'maintainer', id: 9 },
        meaning: randomUUID(),
        intent: { kind: 'start', label: 'agent', title: 'A title', body: 'A body' },
      },
      { id: randomUUID(), event: 'issues' },
    );
    say(accepted);
  }
} catch (error) {
  say({ failed: String(error) });
}
