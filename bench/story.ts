import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SAMPLE } from '../packages/local-github/src/sample/index.ts';
import { openStage } from '../packages/local-github/src/stage.ts';
import { playStory } from '../packages/local-github/src/story.ts';
import { median } from './median.ts';

const RUNS = 5;

interface Times {
  /** Milliseconds. */
  readonly start: number;
  readonly status: number;
  readonly story: number;
}

async function once(): Promise<Times> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const stage = await openStage({
    directory,
    owner: SAMPLE.owner,
    people: [SAMPLE.maintainer],
    scripts: [SAMPLE.script],
    environment: { PATH: process.env['PATH'] ?? '' },
  });
  try {
    const { owner, name, files, maintainer } = SAMPLE;
    const collaborators = { [maintainer]: 'admin' } as const;
    const repository = await stage.github.createRepository({ owner, name, files, collaborators });
    const begun = performance.now();
    await stage.startService();
    const ready = performance.now();
    const { untilStatus } = await playStory({
      github: stage.github,
      repository,
      tale: SAMPLE,
      maintainer,
      interactive: false,
      patienceMs: 60_000,
      tell: () => {},
    });
    return { start: ready - begun, status: untilStatus, story: performance.now() - ready };
  } finally {
    await stage.close();
    await rm(directory, { recursive: true, force: true });
  }
}

const middle = (values: readonly number[]): string => `${Math.round(median(values))} ms`;

/**
 * The whole story of the demo, several times: each time a new local GitHub, a new database and a
 * new service.
 */
export async function benchStory(): Promise<string> {
  const all: Times[] = [];
  for (let run = 0; run < RUNS; run++) all.push(await once());
  return [
    `runs                    ${RUNS}`,
    `service, first start    ${middle(all.map(({ start }) => start))}`,
    `label → status comment  ${middle(all.map(({ status }) => status))}`,
    `label → merged          ${middle(all.map(({ story }) => story))}`,
  ].join('\n');
}
