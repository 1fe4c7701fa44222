import type { RequestRecord } from '../../packages/local-github/src/github/http-server.ts';
import type { Repository } from '../../packages/local-github/src/github/state.ts';
import type { Stage } from '../../packages/local-github/src/stage.ts';
import { median } from '../median.ts';

export interface Crowd {
  readonly issues: number;
  readonly timesFaster: number;
}

export interface Figures {
  readonly issues: number;
  readonly refused: number;
  readonly ready: number;
  /** Milliseconds after the labels. */
  readonly medianMs: number;
  readonly lastMs: number;
  readonly toldMs: number;
  /** The earliest time at which GitHub's limits allow the writes that were made until the last was ready. */
  readonly leastMs: number;
  readonly requests: number;
  readonly writes: number;
  /** The most points in a minute; GitHub allows 900. */
  readonly points: number;
  readonly fetches: number;
  readonly deferred: number;
  readonly mostDeferred: number;
}

interface Scene {
  readonly stage: Stage;
  readonly repository: Repository;
  readonly label: (number: number) => void;
  readonly patienceMs: number;
}

const GITHUB = { minute: 80, hour: 500 };

/** Labels the issues and waits until each is ready for review, or the patience is over. */
export async function measure(crowd: Crowd, scene: Scene): Promise<Figures> {
  const { stage, repository, label, patienceMs } = scene;
  const { github } = stage;
  const begun = Date.now();
  const first = github.requests.length;
  for (let number = 1; number <= crowd.issues; number += 1) label(number);
  const ready = new Map<number, number>();
  const told = new Map<number, number>();
  const look = (): boolean => {
    const now = Date.now() - begun;
    for (const { number, pull } of repository.issues)
      if (pull !== undefined && !pull.draft && pull.requestedReviewers.length > 0)
        if (!ready.has(number)) ready.set(number, now);
    for (const { id, body } of repository.comments)
      if (body.includes('Ready for review') && !told.has(id)) told.set(id, now);
    return ready.size === crowd.issues && told.size === crowd.issues;
  };
  await github
    .waitFor(look, { what: 'every issue to be ready', timeoutMs: patienceMs })
    .catch((error: unknown) => process.stderr.write(`${String(error).slice(0, 200)}\n`));
  const times = [...ready.values()].toSorted((one, other) => one - other);
  const lastMs = times.at(-1) ?? Number.NaN;
  const sent = github.requests.slice(first);
  const ours = sent.filter(({ actor, weight }) => weight !== undefined && actor.endsWith('[bot]'));
  const writes = ours.filter(({ weight }) => weight === 'content');
  const before = writes.filter(({ at }) => at <= begun + lastMs).length;
  return {
    issues: crowd.issues,
    refused: github.refusals.length,
    ready: ready.size,
    medianMs: median(times),
    lastMs,
    toldMs: Math.max(...told.values()),
    leastMs: leastFor(before) / crowd.timesFaster,
    requests: ours.length,
    writes: writes.length,
    points: mostPoints(ours, 60_000 / crowd.timesFaster),
    fetches: sent.filter(isFetch).length,
    ...deferralsIn(stage.log()),
  };
}

function mostPoints(sent: readonly RequestRecord[], minuteMs: number): number {
  let most = 0;
  let points = 0;
  let from = 0;
  for (const { at, weight } of sent) {
    points += pointsOf(weight);
    for (; (sent[from]?.at ?? at) <= at - minuteMs; from += 1)
      points -= pointsOf(sent[from]?.weight);
    most = Math.max(most, points);
  }
  return most;
}

const pointsOf = (weight: RequestRecord['weight']): number => (weight === 'read' ? 1 : 5);

/** Milliseconds until GitHub's limits allow so many writes, if all that they allow is used. */
function leastFor(writes: number): number {
  const minutes = Math.floor(Math.max(0, writes - 1) / GITHUB.minute);
  const hours = Math.floor(Math.max(0, writes - 1) / GITHUB.hour);
  const rest = (writes - 1) % GITHUB.hour;
  return hours === 0
    ? minutes * 60_000
    : hours * 3_600_000 + Math.floor(rest / GITHUB.minute) * 60_000;
}

const isFetch = ({ method, path }: RequestRecord): boolean =>
  method === 'POST' && path.endsWith('/git-upload-pack');

/** How often runs were left to be continued later, by the log of the service. */
function deferralsIn(log: string): Pick<Figures, 'deferred' | 'mostDeferred'> {
  const bySession = new Map<string, number>();
  for (const [, session = ''] of log.matchAll(
    /"session":"([^"]+)","run":\d+,"outcome":"deferred"/g,
  ))
    bySession.set(session, (bySession.get(session) ?? 0) + 1);
  const counts = [...bySession.values()];
  return {
    deferred: counts.reduce((sum, count) => sum + count, 0),
    mostDeferred: Math.max(0, ...counts),
  };
}
