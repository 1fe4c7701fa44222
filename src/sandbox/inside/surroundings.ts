import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { unlessItFails } from '../../lib/unless-it-fails.ts';

interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
  /** What the operator adds to that. */
  readonly given: Readonly<Record<string, string>>;
  readonly readOnlyPaths: readonly string[];
}

/**
 * A digest of what commands have besides their workspace: the system, their variables, and when programs were last installed
 * or replaced.
 */
export function digestOfSurroundings({ environment, given, readOnlyPaths }: Surroundings): string {
  const directories = [...(environment['PATH'] ?? '').split(':'), ...readOnlyPaths];
  const changedAt = directories.map(
    (path) => unlessItFails(() => statSync(path, { bigint: true }).mtimeNs.toString()) ?? null,
  );
  const system = unlessItFails(() => readFileSync('/etc/os-release', 'utf8')) ?? null;
  const { platform, arch, version } = process;
  const all = { platform, arch, version, system, environment, given, directories, changedAt };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}
