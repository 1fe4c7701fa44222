import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isOfProject } from './sbom.ts';

const Package = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  dev: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});

/** What package-lock.json says of a package. */
export interface LockedPackage extends z.infer<typeof Package> {
  /** Where it is installed: `node_modules/a/node_modules/b`; empty for the project itself. */
  readonly path: string;
}

export function lockedPackages(): LockedPackage[] {
  const lock = z
    .object({ packages: z.record(z.string(), Package) })
    .parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  return Object.entries(lock.packages)
    .filter(([path]) => !isOfProject(path))
    .map(([path, locked]) => ({ ...locked, path }));
}

/** Those that a production install has. */
export const shippedPackages = (): LockedPackage[] =>
  lockedPackages().filter(({ path, dev }) => path !== '' && dev !== true);

const FOLDER = 'node_modules/';

/** The package that `name` means for the one at `path`: the nearest one, as Node looks it up. */
export function resolveFrom(
  packages: readonly LockedPackage[],
  path: string,
  name: string,
): LockedPackage | undefined {
  const inside = path === '' ? '' : `${path}/`;
  const found = packages.find((one) => one.path === `${inside}${FOLDER}${name}`);
  if (found !== undefined || path === '') return found;
  const parent = path.slice(0, Math.max(0, path.lastIndexOf(FOLDER) - 1));
  return resolveFrom(packages, parent, name);
}
