// What people read of the cache of dependencies. The reasons are sentences without their end.
import type { CommandRun, DependencyUse } from '../../contracts/effect.ts';
import { duration } from './format.ts';
import { exitWords } from './runs.ts';

/** What came of it. Plain text. */
export function dependenciesWords(use: DependencyUse): string {
  const { cache, paths, isAll, reason, durationMs } = use;
  if (cache === 'unused') return `not from the cache: ${reason ?? 'nobody noted why'}.`;
  const found =
    cache === 'found'
      ? 'from the cache'
      : 'installed in a clean clone, and kept for later sessions';
  const rest = isAll ? 'setup did not run again' : 'setup ran as well';
  return `${paths.join(', ')}: ${found}, in ${duration(durationMs)}; ${rest}.`;
}

/** Markdown. */
export const CACHE_WITHOUT_SETUP =
  '`cache` has no effect without `setup`: it keeps what the commands there install';

export const NO_CACHE = 'the operator keeps nothing of repositories (CACHE_MAX_BYTES, GIT_ENGINE)';
export const NOT_CONTAINED = 'commands are not sandboxed here, and could change what is kept';
export const BUSY = 'another session still installs them';
export const FAILED = 'an error, which the log of the service names';

export const noKeyFile = (path: string): string =>
  `${path}, which \`key\` names, cannot be read in this workspace`;
export const noBranch = (branch: string): string => `the branch ${branch} does not exist`;
export const differs = (branch: string): string =>
  `a file that \`key\` names differs from the branch ${branch}, and only what that installs is kept`;
export const isTracked = (path: string): string =>
  `${path} has files of the repository, and only what setup makes is kept`;
export const setupFailed = (
  command: string,
  done: Pick<CommandRun, 'exitCode' | 'ended'>,
): string =>
  `the setup command ${JSON.stringify(command)} failed in a clean clone (${exitWords(done)}); it is tried again after an hour`;
export const changedTooMuch = (excess: string): string =>
  `setup changed ${excess}, so put what it makes into .gitignore`;
