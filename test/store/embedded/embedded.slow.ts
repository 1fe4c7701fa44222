import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import {
  findBinaries,
  startEmbedded,
  type EmbeddedServer,
} from '../../../src/store/embedded/postgres-server.ts';
import { keepRunning, type SupervisedServer } from '../../../src/store/embedded/keep-running.ts';
import { clearLeftovers, readPidFile } from '../../../src/store/embedded/leftovers.ts';
import { openStore } from '../../../src/store/open.ts';
import { silent, temporaryDirectory, until } from '../../contract/store-world.ts';
import { isRoot, NOBODY, whyNoOtherUser } from '../../support/other-user.ts';
import { prepareData } from '../../support/prepared-data.ts';
import { startWorker } from '../service-worker.ts';

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function ask(server: EmbeddedServer, question: string): Promise<unknown> {
  const client = new pg.Client({ ...server.connection });
  await client.connect();
  const { rows } = await client.query<{ answer: unknown }>(`select ${question} as answer`);
  await client.end();
  return rows[0]?.answer;
}

describe('the embedded server', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => void (directory = temporaryDirectory()));
  /** Also after a test that failed: what restarts a server would do so for ever. */
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    directory.remove();
  });

  async function start(path = directory.path): Promise<EmbeddedServer> {
    const server = await startEmbedded(path, silent);
    stops.push(() => server.stop());
    return server;
  }
  function keep(server: EmbeddedServer, options = {}): SupervisedServer {
    const kept = keepRunning(server, silent, options);
    stops.unshift(() => kept.stop());
    return kept;
  }
  /** Copied, as making one takes a second. */
  async function copyCluster(): Promise<void> {
    directory.remove();
    await prepareData(directory.path);
  }

  it('is durable, speaks UTF-8, and listens on no network and to no terminal, at a path of 150 characters and spaces', async () => {
    const long = join(directory.path, 'a directory '.repeat(12).trim(), 'x');
    expect(long.length).toBeGreaterThan(150);
    // An earlier start was killed while it made the cluster.
    const half = join(long, 'postgres.new');
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, 'PG_VERSION'), '18\n');
    const server = await start(long);
    expect(existsSync(half)).toBe(false);
    expect(await ask(server, `current_setting('fsync')`)).toBe('on');
    expect(await ask(server, `current_setting('synchronous_commit')`)).toBe('on');
    expect(await ask(server, `current_setting('server_encoding')`)).toBe('UTF8');
    expect(await ask(server, `upper('ünï')`)).toBe('ÜNÏ');
    expect(await ask(server, `current_setting('listen_addresses')`)).toBe('');
    // Ctrl-C on a terminal reaches every process of its session.
    const sessions = [server.pid, process.pid].map((pid) =>
      execFileSync('ps', ['-o', 'sess=', '-p', `${pid}`]).toString(),
    );
    expect(sessions[0]).not.toBe(sessions[1]);
    await server.stop();
    expect(readPidFile(join(long, 'postgres'))).toBeUndefined();
  });

  it.each([
    ['is a file', () => join(directory.path, 'file')],
    ['is below a file', () => join(directory.path, 'file', 'data')],
  ])('says which setting to change if the data directory %s', async (_what, path) => {
    writeFileSync(join(directory.path, 'file'), '');
    await expect(start(path())).rejects.toThrow(
      /^The data directory \/.* cannot be used: .*\(E\w+\)\. Set DATA_DIR to .* or set DATABASE_URL/,
    );
  });

  const itAsAnother = whyNoOtherUser === '' ? it : it.skip;
  itAsAnother('says which user needs a data directory that it may not write to', async () => {
    chmodSync(directory.path, 0o755);
    const worker = startWorker('embedded', directory.path, { user: NOBODY });
    const { failed } = await worker.line((line) => line.failed !== undefined);
    expect(failed).toMatch(/\(EACCES\)\. Set DATA_DIR to a directory that user 65534/);
    await worker.kill();
  });

  it('rejects a second owner with an explanation, in this process and in another', async () => {
    await copyCluster();
    const server = await start();
    const words = `in use by another Issuewright process (PID ${process.pid})`;
    await expect(start()).rejects.toThrow(words);
    const other = startWorker('embedded', directory.path);
    const { failed } = await other.line((line) => line.failed !== undefined);
    expect(failed).toContain(words);
    expect(failed).toContain('DATABASE_URL');
    await other.kill();
    expect(await ask(server, '1 + 1')).toBe(2);
    await server.stop();
    await (await start()).stop();
  });

  it('keeps all that was acknowledged when its owner is killed, and runs its job again', async () => {
    await copyCluster();
    const worker = startWorker('embedded', directory.path);
    const { woken } = await worker.line((line) => line.woken !== undefined);
    await until('some accepted', () => worker.lines.length > 30);
    await worker.kill();
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const store = await openStore({ dataDir: directory.path, log });
    const acknowledged = worker.lines.flatMap(({ session }) => session ?? []);
    expect(acknowledged.length).toBeGreaterThan(20);
    for (const session of acknowledged) expect(await store.journal(session)).toHaveLength(2);
    const again: string[] = [];
    await store.queue.work('advance', { concurrency: 8 }, async (session) => {
      again.push(session);
    });
    await until('run again', () => again.includes(woken!));
    await until('all run', () => acknowledged.every((session) => again.includes(session)));
    // It was freed by the start, before any heartbeat could tell that the worker is dead.
    expect(lines.filter((line) => line.includes('no sign of life'))).toEqual([]);
    await store.close();
  });

  describe('after an owner that left its server behind', () => {
    /** A server that nothing ties to a parent, as on systems without parent-death signals. */
    async function leaveServer(): Promise<{ pid: number; exited: Promise<unknown> }> {
      await copyCluster();
      const { postgres } = await findBinaries();
      const cluster = join(directory.path, 'postgres');
      const unprivileged = isRoot ? ['unshare', '-U', '--map-user=65534', '--map-group=65534'] : [];
      const [program, ...args] = [...unprivileged, postgres, '-D', cluster, '-k', '.'];
      const child = spawn(program!, [...args, '-c', 'listen_addresses='], { stdio: 'ignore' });
      await until('it is ready', () => readPidFile(cluster)?.ready === true);
      return { pid: child.pid ?? 0, exited: once(child, 'exit') };
    }

    it('stops that and starts one of its own', async () => {
      const left = await leaveServer();
      const server = await start();
      await left.exited;
      expect(server.pid).not.toBe(left.pid);
      expect(await ask(server, '1 + 1')).toBe(2);
      await server.stop();
    });

    it('stops that without /proc too', async () => {
      const left = await leaveServer();
      const cluster = join(directory.path, 'postgres');
      await clearLeftovers(cluster, silent, 'darwin');
      await left.exited;
      expect(readPidFile(cluster)).toBeUndefined();
    });

    it('takes over from a server that was killed as well', async () => {
      const left = await leaveServer();
      process.kill(left.pid, 'SIGKILL');
      await left.exited;
      const server = await start();
      expect(await ask(server, '1 + 1')).toBe(2);
      await server.stop();
    });

    it.each(['linux', 'darwin'])(
      'ends no stranger that has its number now (%s)',
      async (platform) => {
        await copyCluster();
        const cluster = join(directory.path, 'postgres');
        const stranger = spawn('sleep', ['60'], { stdio: 'ignore', cwd: cluster });
        const exited = once(stranger, 'exit');
        writeFileSync(join(cluster, 'postmaster.pid'), `${stranger.pid}\n${cluster}\n`);
        writeFileSync(join(cluster, '.s.PGSQL.5432.lock'), `${stranger.pid}\n`);
        await clearLeftovers(cluster, silent, platform);
        const server = await start();
        expect(stranger.exitCode).toBeNull();
        await server.stop();
        stranger.kill();
        await exited;
      },
    );
  });

  it('says which file of the data directory is no lock', async () => {
    const dataDir = join(directory.path, 'data');
    mkdirSync(join(dataDir, 'owner.lock'), { recursive: true });
    await expect(startEmbedded(dataDir, silent)).rejects.toThrow(
      /^The lock file owner\.lock in DATA_DIR cannot be used: unable to open database file\. .* delete the file/,
    );
  });

  it('shows the end of its log when it does not start', async () => {
    await copyCluster();
    appendFileSync(join(directory.path, 'postgres', 'postgresql.conf'), 'nonsense = 1\n');
    await expect(start()).rejects.toThrow(/did not start.*"nonsense"/s);
    await expect(start()).rejects.toThrow(/did not start/);
  });

  it('tells when it ends unasked', async () => {
    await copyCluster();
    const server = await start();
    const told = new Promise<string>((resolve) => server.onExit(resolve));
    process.kill(server.pid, 'SIGKILL');
    expect(await told).toContain('stopped unexpectedly');
    await server.stop();
    await (await start()).stop();
  });

  it('is restarted at the same address, of any length, each time it ends unasked', async () => {
    const long = join(directory.path, 'a directory '.repeat(12).trim());
    await prepareData(long);
    const server = await start(long);
    const kept = keep(server);
    for (let time = 1; time <= 2; time += 1) {
      const { pid } = server;
      process.kill(pid, 'SIGKILL');
      await until('it is another', () => server.pid !== pid);
      await until('it answers', () => ask(server, '1 + 1').then(Boolean, () => false));
    }
    await kept.stop();
    await (await start(long)).stop();
  });

  it('is lost if it cannot be restarted for a while, for the reason that its log gives', async () => {
    await copyCluster();
    const server = await start();
    const kept = keep(server, { patienceMs: 500 });
    const lost = new Promise<string>((resolve) => kept.onLost(resolve));
    appendFileSync(join(directory.path, 'postgres', 'postgresql.conf'), 'nonsense = 1\n');
    process.kill(server.pid, 'SIGKILL');
    expect(await lost).toMatch(/did not start.*"nonsense"/s);
    await kept.stop();
  });

  it('is not restarted any more once it is stopped', async () => {
    await copyCluster();
    const server = await start();
    const kept = keep(server);
    const { pid } = server;
    process.kill(pid, 'SIGKILL');
    // Another one may run by then, or be about to.
    await until('it ended', () => !isAlive(pid));
    await kept.stop();
    const next = await start();
    expect(await ask(next, '1 + 1')).toBe(2);
    await next.stop();
  });

  it('ends the process of a restart in the middle of which it is stopped', async () => {
    await copyCluster();
    const server = await start();
    const kept = keep(server);
    const { pid } = server;
    process.kill(pid, 'SIGKILL');
    await until('another is starting', () => server.pid !== pid);
    const { pid: starting } = server;
    await kept.stop();
    expect(isAlive(starting)).toBe(false);
    expect(server.pid).toBe(starting);
  });

  it('touches nothing in its directory once it is stopped', async () => {
    await copyCluster();
    const server = await start();
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
    const next = await start();
    await expect(server.start()).rejects.toThrow('is being stopped');
    expect(isAlive(next.pid)).toBe(true);
    expect(await ask(next, '1 + 1')).toBe(2);
  });

  it('says what to do on a platform that has no package', async () => {
    await expect(findBinaries('plan9', 'vax')).rejects.toThrow(/plan9-vax.*DATABASE_URL/s);
  });

  (whyNoOtherUser === '' ? it : it.skip)(
    `runs for a user who is not root ${whyNoOtherUser}`,
    async () => {
      chownSync(directory.path, NOBODY, NOBODY);
      const worker = startWorker('embedded', directory.path, { user: NOBODY });
      await worker.line((line) => line.session !== undefined);
      await worker.kill();
      rmSync(directory.path, { recursive: true, force: true });
    },
  );

  (isRoot ? it : it.skip)('tells root what to do if it may not create namespaces', async () => {
    const forbidden = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';
    const before = ['unshare', '-U', '-r', 'sh', '-c', forbidden, 'sh'];
    const worker = startWorker('embedded', directory.path, { before });
    const { failed } = await worker.line((line) => line.failed !== undefined);
    expect(failed).toMatch(/another user, or set DATABASE_URL/);
    await worker.kill();
  });
});
