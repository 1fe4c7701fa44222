// Each hostile image is taken by a real service, as root and as another user, and the machine is compared before and after.
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USERS } from '../../../packages/sandbox/test/support.ts';
import { ImageRegistry, programsLayer } from '../../support/oci-image.ts';
import { ATTACKS, LIMITS, type Target } from './hostile-images.ts';
import { ImageService, PROGRAMS, whyNoImages } from './support.ts';

const SECRET = 'the secret of the host';
const UNTOUCHED = 'nobody wrote here';

const declare = whyNoImages === '' ? describe : describe.skip;
declare.each(USERS)(`a hostile image that a service takes %s ${whyNoImages}`, (_who, user) => {
  let registry: ImageRegistry;
  let service: ImageService;
  let target: Target;

  beforeAll(async () => {
    registry = await ImageRegistry.start();
    const allowed = [`http://${registry.host}/team/*`];
    service = await ImageService.start({ user, allowed, ...LIMITS });
    const at = join(service.directory, 'outside');
    target = { directory: at, secret: join(at, 'secret'), victim: join(at, 'victim') };
    mkdirSync(at);
    writeFileSync(target.secret, SECRET);
    writeFileSync(target.victim, UNTOUCHED);
    for (const path of [at, target.secret, target.victim]) chmodSync(path, 0o777);
  });
  afterAll(async () => {
    await service.stop();
    await registry.close();
  });

  it.each(Object.entries(ATTACKS))('%s', async (name, { image, commands, intercept, says }) => {
    const made = image(target, programsLayer(PROGRAMS), registry);
    const reference = registry.add(`team/${Object.keys(ATTACKS).indexOf(name)}`, made);
    registry.intercept = (path, response) => intercept?.(made, path, response) ?? false;
    const { done, error } = await service.take(reference, commands?.(target) ?? ['id -u']);
    expect(error ?? 'taken').toMatch(says ?? /^taken$/);
    expect(done?.outputs.join('\n') ?? '').not.toMatch(/the secret of the host|in its environ/);
    expect(registry.requests).not.toContain('/elsewhere');
    expect(machine()).toEqual({ outside: ['secret', 'victim'], secret: SECRET, victim: UNTOUCHED });
    expect(leftovers(service)).toEqual([]);
  });

  const machine = () => ({
    outside: readdirSync(target.directory).toSorted(),
    secret: readFileSync(target.secret, 'utf8'),
    victim: readFileSync(target.victim, 'utf8'),
  });
});

it('are at least 40', () => {
  expect(Object.keys(ATTACKS).length).toBeGreaterThanOrEqual(40);
});

/** What no image may leave on the machine: half-made images, and files of other kinds or with special rights. */
function leftovers(service: ImageService): string[] {
  const images = join(service.directory, 'data/images');
  const halfMade = service.kept().filter((name) => !/^[\da-f]{64}\.image$/.test(name));
  const odd: string[] = [];
  const look = (path: string): void => {
    const stats = lstatSync(path);
    const isPlain = stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
    if (!isPlain || (!stats.isSymbolicLink() && (stats.mode & 0o7000) !== 0)) odd.push(path);
    if (stats.isFile() && process.getuid?.() === 0 && stats.uid === 0 && (stats.mode & 0o022) !== 0)
      odd.push(path);
    if (stats.isDirectory()) for (const name of readdirSync(path)) look(join(path, name));
  };
  for (const name of service.kept()) look(join(images, name));
  return [...halfMade, ...odd];
}
