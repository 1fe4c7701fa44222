import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isRoot } from '../../../test/support/other-user.ts';
import { Service, USERS, processesWith, whyNot } from './support.ts';

/** Waits until no process shows the text; the test's own time limits it. */
async function untilGone(text: string): Promise<void> {
  while (processesWith(text).length > 0) await nextTurn();
}

const services: Service[] = [];
afterEach(() => Promise.all(services.splice(0).map((service) => service.stop())));

async function start(user: number | undefined): Promise<Service> {
  const service = await Service.start(user);
  services.push(service);
  return service;
}

/** The socket whose name holds a user id. */
function lockOf(user: number): string | undefined {
  const line = readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .find((one) => one.endsWith(`@issuewright-user-${user}`));
  return line?.trim().split(/\s+/)[6];
}

const declare = whyNot === '' ? describe : describe.skip;
declare.each(USERS)(`kill -9 of a service that runs %s ${whyNot}`, (_who, user) => {
  it.each([
    ['its commands', ''],
    ['daemons', 'setsid sh -c "trap \\"\\" TERM HUP; sleep $MARKER" &'],
    [
      'commands that try to let themselves live on',
      'for p in 1 $$ $PPID; do echo 0 > /proc/$p/mem; echo x > /proc/$p/oom_score_adj; kill -STOP $p; done 2>/dev/null; ',
    ],
  ])('leaves nothing of %s running', async (what, preparation) => {
    const marker = `16180.${process.pid}${what.length}${user ?? 0}`;
    const service = await start(user);
    const tree = service.workspace();
    const begun = new Promise<void>((resolve) => {
      const command = `MARKER=${marker}; ${preparation.replace(' $$', '')} echo begun; sleep ${marker}`;
      service.run(tree, command, { onOutput: () => resolve() }).catch(() => {});
    });
    await begun;
    expect(processesWith(marker).length).toBeGreaterThan(0);
    await service.kill();
    await untilGone(marker);
  });

  it('frees the user ids of its commands', async () => {
    const one = await start(user);
    const tree = one.workspace();
    const idOf = async (service: Service, place: string): Promise<number> => {
      await service.run(place, 'touch mine');
      return statSync(join(place, 'mine')).uid;
    };
    const first = await idOf(one, tree);
    const two = await start(user);
    const second = await idOf(two, two.workspace());
    expect(second !== first).toBe(user === undefined && isRoot);
    const lock = lockOf(first);
    expect(lock !== undefined).toBe(user === undefined && isRoot);
    await one.kill();
    expect(lockOf(first) ?? 'free').not.toBe(lock);
  });
});
