import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { startGitServer, type TestRepository } from '../../test/support/git-server.ts';
import { ENGINES, isEngine, type EngineName } from './engines.ts';
import { report, type Figures } from './report.ts';
import { generate, showCopy, sizeOf } from './repository.ts';
import { measureService, type ServiceFigures } from './service.ts';
import { measureDisk, measureRounds, type Disk, type Scene } from './workspaces.ts';

const SIZES = ['150', '3000', '28000', '110000'];
/** For the rounds of one repository; the round that has begun is ended. 150, 3,000 and 28,000 files take ten minutes. */
const PATIENCE_MS = 100_000;
/** With a cold workspace that takes longer, the service is left out. */
const MOST_MS = 60_000;
/** The same for ten at once. */
const MOST_OF_TEN_MS = 7_000;

/**
 * Workspaces, beside native git in the same run. The arguments of the command name repositories: a number is one of so
 * many generated files, anything else the path of one that there is, which stays as it is. The name of an engine leaves the
 * others out.
 */
export async function benchGit(): Promise<string> {
  const given = process.argv.slice(3);
  const engines = given.filter(isEngine);
  const names = given.filter((name) => !isEngine(name));
  const load = loadavg()[0] ?? Number.NaN;
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const server = await startGitServer();
  try {
    const small = server.createRepository('bench/small', { 'README.md': '# Small\n' });
    const parts: string[] = [];
    for (const [at, name] of (names.length === 0 ? SIZES : names).entries()) {
      const repository = server.createRepository(`bench/repository-${at}`, {});
      const begun = performance.now();
      await fill(repository, name);
      say(`${name}: the repository is there after ${seconds(performance.now() - begun)}`);
      const scene = {
        server,
        repository,
        small,
        directory,
        engines: engines.length === 0 ? ENGINES : engines,
        patienceMs: PATIENCE_MS,
      };
      parts.push(await reported(scene, name));
      say(`\n${parts.at(-1) ?? ''}\n`);
      await rm(repository.directory, { recursive: true });
    }
    return [`Load of the machine before: ${load.toFixed(1)}.`, ...parts].join('\n\n');
  } finally {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
}

const seconds = (took: number): string => `${(took / 1000).toFixed(1)} s`;

/** What happens, and each table once it is there: the whole takes many minutes. */
const say = (words: string): void => void process.stderr.write(`${words}\n`);

async function fill({ directory }: TestRepository, name: string): Promise<void> {
  if (/^\d+$/.test(name)) return generate(directory, Number(name));
  if (!existsSync(name)) throw new Error(`There is no repository at ${name}.`);
  return showCopy(directory, path.resolve(name));
}

/** A fault in one repository does not lose the figures of those before. */
const reported = (scene: Scene, name: string): Promise<string> =>
  measure(scene, name).then(report, (error: unknown) => `### ${name} failed: ${String(error)}`);

async function measure(scene: Scene, name: string): Promise<Figures> {
  const { repository, directory } = scene;
  const size = await sizeOf(repository.directory);
  const rounds = await measureRounds(scene);
  say(`${name}: the workspaces are measured`);
  const disk = new Map<EngineName, Disk | string>();
  const service = new Map<EngineName, ServiceFigures | string>();
  for (const engine of scene.engines) {
    const cold = rounds.engines.get(engine)?.[0]?.cold ?? Number.POSITIVE_INFINITY;
    const why = rounds.refused.has(engine) ? 'refused' : `left out: one takes ${seconds(cold)}`;
    disk.set(engine, cold > MOST_OF_TEN_MS ? why : await measureDisk(scene, engine));
    service.set(
      engine,
      cold > MOST_MS
        ? why
        : await measureService(directory, engine, repository.directory).catch(
            (error: unknown) => `failed: ${String(error).split('\n', 1)[0]}`,
          ),
    );
  }
  const shown = /^\d+$/.test(name)
    ? 'generated'
    : path.resolve(name).split('/').slice(-2).join('/');
  return { name: shown, ...size, rounds, disk, service };
}
