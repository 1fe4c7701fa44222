// Whether a repository belongs to who started this process, by the rule of git (`safe.directory` in git-config).
import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { TellPerson } from '../../../lib/errors.ts';
import { runGitAlone } from '../engines/native/native-git.ts';

/** The environment in which a person started the program. */
export type UserEnvironment = Readonly<Record<string, string | undefined>>;

/** @throws {TellPerson} if one of these belongs to another user, and the person's own settings of git do not allow it */
export async function requireOwned(
  paths: readonly string[],
  environment: UserEnvironment,
): Promise<void> {
  const foreign = paths.find((path) => !isOwn(path, environment));
  if (foreign === undefined) return;
  const allowed = await safeDirectories(environment);
  if (paths.flatMap(namesOf).some((path) => isAllowed(path, allowed))) return;
  throw new TellPerson(
    `${foreign} belongs to another user (uid ${lstatSync(foreign).uid}; yours is ${process.geteuid?.()}). ` +
      'Git does not work in repositories of others, since they can have it run programs, and neither does Issuewright. ' +
      'Start it as that user, or work in a folder of your own. If you trust everyone who can write there: ' +
      `git config --global --add safe.directory '${foreign}'`,
  );
}

/** As git does, `sudo` lets root work in folders of who called it. */
function isOwn(path: string, { SUDO_UID: caller }: UserEnvironment): boolean {
  const user = process.geteuid?.();
  const { uid } = lstatSync(path);
  return user === undefined || uid === user || (user === 0 && caller === String(uid));
}

/** Git compares the work tree, or the repository if that is bare. */
function namesOf(path: string): readonly string[] {
  const repository = basename(path) === 'objects' ? dirname(path) : path;
  return basename(repository) === '.git' ? [repository, dirname(repository)] : [repository];
}

const isAllowed = (path: string, allowed: readonly string[]): boolean =>
  allowed.some(
    (one) =>
      one === '*' ||
      one.replace(/\/$/, '') === path ||
      (one.endsWith('/*') && path.startsWith(one.slice(0, -1))),
  );

/** Settings of git that are a person's own, or of the machine: a repository has no say in it. */
const OF_PERSON = [
  'HOME',
  'XDG_CONFIG_HOME',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
] as const;

async function safeDirectories(environment: UserEnvironment): Promise<readonly string[]> {
  const own = Object.fromEntries(OF_PERSON.map((name) => [name, environment[name]]));
  const words = ['config', '--includes', '--null', '--type=path', '--get-all', 'safe.directory'];
  const { output } = await runGitAlone(words, { environment: own });
  const all = Buffer.from(output, 'latin1').toString().split('\0').slice(0, -1);
  return all.slice(all.lastIndexOf('') + 1);
}
