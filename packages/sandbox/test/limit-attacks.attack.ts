import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { kernelMemory } from '../src/watch/memory.ts';
import type { CommandDone } from '../../../src/contracts/shell.ts';
import { alone, LOCK_MS, Service, USERS, whyNot } from './support.ts';

const MIB = 1024 * 1024;
/** So many files that those made between two looks at the disk are few beside them, on a fast machine too. */
const LIMITS = { memory: 256 * MIB, files: 60_000 };
/** What several threads may fill until the command is dead, on a busy machine. */
const MARGIN = 512 * MIB;

const attacks = readFileSync(join(import.meta.dirname, 'limit-attacks.py'), 'utf8');
const killedForMemory = { ended: 'memory', output: { head: '' } };

// How fast a flood grows and is noticed depends on what else the machine does.
jest.retryTimes(2);

const declare = whyNot === '' ? describe : describe.skip;
declare(`a command that fills the machine as fast as it can ${whyNot}`, () => {
  let service: Service;

  let lock: Awaited<ReturnType<typeof alone>> | undefined;
  beforeAll(async () => {
    lock = await alone();
    service = await Service.start(USERS.at(-1)?.[1], { limits: LIMITS });
    expect(service.opened).toBe('ready');
  }, LOCK_MS);

  afterAll(async () => {
    await service.stop();
    await lock?.release();
  });

  const attack = (kind: string, tree = service.workspace()): Promise<CommandDone> => {
    service.write(join(tree, 'attack.py'), attacks);
    return service.run(tree, `python3 attack.py ${kind}`);
  };

  it.each([
    'socket_queues',
    'sockets_in_flight',
    'datagrams',
    'connections',
    'pipes',
    'page_tables',
    'spliced_pages',
  ])('is killed for memory that the kernel holds for it: %s', async (kind) => {
    let least = Infinity;
    let growth = 0;
    const sampling = setInterval(() => {
      const now = kernelMemory();
      least = Math.min(least, now);
      growth = Math.max(growth, now - least);
    }, 5);
    const done = await attack(kind);
    clearInterval(sampling);
    expect(done).toMatchObject(killedForMemory);
    expect(growth).toBeLessThan(LIMITS.memory + MARGIN);
  });

  const pages = '/sys/kernel/mm/transparent_hugepage/enabled';
  const hasLargePages = existsSync(pages) && !readFileSync(pages, 'latin1').includes('[never]');
  (hasLargePages ? it : it.skip)('is killed for large pages that a pipe refers to', async () => {
    expect(await attack('large_pages')).toMatchObject(killedForMemory);
  });

  it('is killed alone, although nothing says for whom the kernel holds memory', async () => {
    const tree = service.workspace();
    const innocent = service.run(
      tree,
      'echo begun; until [ -e go ]; do sleep 0.05; done; echo done',
    );
    expect(await attack('socket_queues')).toMatchObject(killedForMemory);
    service.write(join(tree, 'go'), '');
    expect(await innocent).toMatchObject({ ended: 'exited', output: { head: 'begun\ndone\n' } });
  });

  it('is killed before it has made many more files than it may', async () => {
    const tree = service.workspace();
    expect(await attack('files', tree)).toMatchObject({ ended: 'disk' });
    expect(readdirSync(tree, { recursive: true }).length).toBeLessThan(1.15 * LIMITS.files);
  });
});
