// One try of a fault: the story, the fault, and what is found afterwards.
import { setTimeout as pause } from 'node:timers/promises';
import { AT_REST } from '../shuffled-events/session-watch.ts';
import { DidNotHappen, type Length, type Try } from './fault.ts';
import { inspect, inspectAfterStop, readSessions, type Finding } from './invariants.ts';
import { World } from './world.ts';

export interface Attempt {
  readonly findings: readonly Finding[];
  /** Whether the fault happened. */
  readonly happened: boolean;
  readonly length: Length;
  /** If something was found: what all services logged, and the journals as JSON lines. */
  readonly log: string;
}

/** Of the patience of a world: longer than any wait in it. */
const DEADLINE = 2.5;
const POLL_MS = 50;

export async function attempt(one: Try): Promise<Attempt> {
  await one.before?.();
  try {
    return await inWorld(one);
  } finally {
    await one.after?.();
  }
}

async function inWorld(one: Try): Promise<Attempt> {
  const { files, scripts, environment } = one.tale;
  const given = { ...environment, ...one.environment };
  const world = await World.open({ ...one, files, scripts, environment: given });
  try {
    const { happened, faults } = await played(world, one);
    const findings: Finding[] = faults.map((words) => ({ kind: 'unfinished', words }));
    const { numbers, length, journals } = await told(world);
    const { expected = one.tale.expected, isMuted = false } = one;
    findings.push(...(await inspect(world, { issues: numbers, expected, isMuted })));
    findings.push(...(await inspectAfterStop(world)));
    const log = findings.length === 0 ? '' : `${world.stage.log()}\n${journals()}\n`;
    return { findings, happened, length, log };
  } finally {
    await world.close();
  }
}

/** Plays the story while the fault happens, until nothing is left to do. */
async function played(
  world: World,
  { arm, play, tale, expected }: Try,
): Promise<{ readonly happened: boolean; readonly faults: string[] }> {
  const over = new AbortController();
  const settled = (work: Promise<unknown>) => settledWithin(DEADLINE * world.patienceMs, work);
  const strike = await arm(world);
  const striking = settled(strike(over.signal));
  const faults = [await settled((play ?? tale.play)(world))];
  // The fault may be what keeps it from its rest.
  const struckFirst = new AbortController();
  void striking.then(() => struckFirst.abort());
  const rest = (signal?: AbortSignal) => settled(untilRested(world, expected === null, signal));
  await rest(struckFirst.signal);
  over.abort();
  const struck = await striking;
  faults.push(await rest());
  const happened = !(struck instanceof DidNotHappen);
  if (happened) faults.push(struck);
  return { happened, faults: faults.filter((error) => error !== undefined).map(lineOf) };
}

/** Resolves with the error, if there is one. */
function settledWithin(ms: number, work: Promise<unknown>): Promise<Error | undefined> {
  const late = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new Error('it took too long'));
    AbortSignal.timeout(ms).addEventListener('abort', fail);
  });
  return Promise.race([work, late]).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
}

/**
 * Resolves when nothing is left to do. Rejects if the sessions with something to do become no fewer for long, or with
 * `signal`. `isBlocked`: what GitHub denies may still be tried again from time to time.
 */
export async function untilRested(
  world: World,
  isBlocked = false,
  signal?: AbortSignal,
): Promise<void> {
  const blocked = `${AT_REST.replace('publish_at is null', 'true')} and publish_at > now()`;
  const wanted = isBlocked ? `(${AT_REST}) or (${blocked})` : AT_REST;
  await world.stage.github.webhooksSent();
  const client = await world.connect();
  for (let fewest = Infinity, deadline = 0; ; await pause(POLL_MS)) {
    signal?.throwIfAborted();
    const { rows } = await client.query<object>(
      `select * from issuewright.sessions where not (${wanted})`,
    );
    if (rows.length === 0) break;
    if (rows.length < fewest) deadline = Date.now() + world.patienceMs;
    fewest = Math.min(fewest, rows.length);
    if (Date.now() < deadline) continue;
    const jobs = await client.query<object>(
      `select name, state, retry_count, start_after, output from pgboss.job
       where state in ('created', 'retry', 'active')`,
    );
    throw new Error(`stuck: ${JSON.stringify([...jobs.rows, ...rows])}`);
  }
  await world.stage.github.webhooksSent();
}

interface Told {
  readonly numbers: number[];
  readonly length: Length;
  readonly journals: () => string;
}

async function told(world: World): Promise<Told> {
  const sessions = await readSessions(world);
  const { requests } = world.stage.github;
  return {
    numbers: sessions.map(({ issue }) => issue),
    journals: () => sessions.map((one) => JSON.stringify(one)).join('\n'),
    length: {
      entries: sessions.reduce((sum, { entries }) => sum + entries.length, 0),
      requests: requests.length,
      writes: requests.filter(({ method }) => method !== 'GET').length,
      replies: world.stage.model.requests.length,
    },
  };
}

const lineOf = ({ message }: Error): string => message.split('\n')[0]?.slice(0, 400) ?? '';
