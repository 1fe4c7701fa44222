import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, normalize, resolve } from 'node:path';
import { unlessItFails } from '../../lib/errors.ts';

/** With all that is below them. */
const KERNEL = ['/proc', '/sys', '/dev'];
/** As a whole. What is below them may be a toolchain. */
const SHARED = new Set([
  '/',
  '/boot',
  '/etc',
  '/home',
  '/root',
  '/run',
  '/tmp',
  '/var',
  '/var/lib',
  '/var/run',
]);

/** Where programs keep credentials, in any home directory. */
const CREDENTIALS = new Set(['.ssh', '.aws', '.azure', '.docker', '.gnupg', '.kube', 'gcloud']);

/** Programs of the system, which are no secret. */
const PROGRAMS = ['/bin', '/lib', '/lib64', '/sbin', '/usr/bin', '/usr/lib', '/usr/sbin'];

/** Whether a directory is part of the system, or what many programs share: no place for the data of one. */
export function isOfSystem(path: string): boolean {
  const place = resolve(path);
  const home = place === homedir() || dirname(place) === '/home';
  const inside = [...KERNEL, ...PROGRAMS].some((one) => isWithin(place, one));
  return home || inside || SHARED.has(place) || /^\/usr(?:\/local)?$/.test(place);
}

/** Whether a directory, or what a link of that name leads to, is no place for a toolchain alone. */
export function holdsSecrets(path: string): boolean {
  const named = normalize(path).replace(/(?<=.)\/$/, '');
  const real = unlessItFails(() => realpathSync(named)) ?? named;
  return [named, real].some(
    (place) =>
      SHARED.has(place) ||
      CREDENTIALS.has(basename(place)) ||
      // A socket such as that of Docker gives whoever reaches it the whole machine.
      place.endsWith('.sock') ||
      unlessItFails(() => statSync(place))?.isSocket() === true ||
      isWithin(homedir(), place) ||
      KERNEL.some((directory) => isWithin(place, directory)),
  );
}

const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(`${directory}/`);
