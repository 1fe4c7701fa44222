// Our loop as the service runs it: all its tools, and every entry durable in the embedded
// PostgreSQL before the next step. The time that the database takes is measured separately.
import { pino } from 'pino';
import { perform } from '../../src/app/run/perform.ts';
import { prepareRun } from '../../src/app/run/prepare.ts';
import { PauseWatch } from '../../src/app/service/service.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { openStore } from '../../src/store/open.ts';
import { contend, cpuUsed, type Aside } from './contend.ts';
import { JournalTime } from './journal-time.ts';
import { openOurModel } from './our-model.ts';
import { openSession, operatorWith, planOf, workIn } from './our-session.ts';
import { SECRETS, type Task } from './task.ts';

const log = pino({ level: 'error' });

async function run({ baseUrl, turns, directory, dataDir }: Task): Promise<Aside> {
  const before = { time: performance.now(), cpu: cpuUsed() };
  const opened = await openStore({ dataDir, log });
  const time = new JournalTime();
  const store = time.timing(opened);
  const tracker = await openSession(store);
  const aside = { prepared: performance.now() - before.time, preparedCpu: cpuUsed() - before.cpu };
  const operator = operatorWith({
    AGENT_MAX_ITERATIONS: String(2 * turns),
    // No peer compacts here: all of them send the whole conversation.
    COMPACT_ENABLED: 'false',
    AGENT_MAX_MESSAGES: '10000',
  });
  const scope = {
    tracker,
    // Nothing comes in while it works.
    admit: () => Promise.resolve(),
    signal: new AbortController().signal,
    github: { permissionOf: async () => 'admin' as const, gitToken: async () => 'none' },
    service: {
      store,
      operator,
      openModel: async () => time.countingTurns(await openOurModel(baseUrl)),
      pause: new PauseWatch(store),
      allowedBots: [],
      redact: createRedactor(SECRETS).redact,
      log,
    },
  };
  const work = await workIn(directory);
  const end = await perform(scope, await prepareRun(scope, planOf(operator), work), work);
  if (end.kind !== 'finished') throw new Error(`the run ended: ${JSON.stringify(end)}`);
  const report = { ...aside, journal: time.perTurn.slice(0, turns) };
  await opened.close();
  return report;
}

await contend(run);
