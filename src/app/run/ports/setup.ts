// What the settings say of commands, and those of them that prepare a workspace.
import { TellModel, unless } from '../../../lib/errors.ts';
import type { CommandDone, CommandRequest } from '../../../contracts/shell.ts';
import type { Files } from '../../../contracts/files.ts';
import type { RepositorySettings } from '../../../session/settings/index.ts';
import type { CommandSettings } from '../../../tools/define-tool.ts';
import type { Shells } from '../../service/shells.ts';

const MOST_LOCK_BYTES = 16 * 1024 * 1024;

/** How long tests, and commands that prepare a workspace, may take at most. */
export const longestOf = ({ longestSeconds = 300 }: Pick<Shells, 'longestSeconds'>): number =>
  longestSeconds;

/** What the settings of a repository say of commands. */
export const commandsOf = ({
  commands,
  ...settings
}: RepositorySettings): Omit<CommandSettings, 'longest'> => ({
  allow: commands?.allow,
  test: settings.test,
  setup: settings.setup,
  timeout: settings.timeout,
  environment: settings.env,
});

/** Runs the commands that prepare a workspace, until one fails. */
export async function runSetup<Run extends { readonly done: CommandDone }>(
  { setup, longest }: Pick<CommandSettings, 'setup' | 'longest'>,
  { signal, onOutput }: Pick<CommandRequest, 'signal' | 'onOutput'>,
  run: (request: CommandRequest) => Promise<Run>,
): Promise<readonly (Run & { readonly command: string })[]> {
  const ran: (Run & { readonly command: string })[] = [];
  for (const command of setup) {
    onOutput?.(`$ ${command}\n`);
    const longestMs = longest * 1000;
    const request = { command, directory: '', timeoutMs: longestMs, longestMs, signal };
    const one = await run({ ...request, ...(onOutput === undefined ? {} : { onOutput }) });
    ran.push({ ...one, command });
    if (!hasSucceeded(one.done)) break;
  }
  return ran;
}

export const hasSucceeded = ({ ended, exitCode }: CommandDone): boolean =>
  ended === 'exited' && exitCode === 0;

/** The content of a file that decides what is installed; `undefined` if it cannot be read. */
export const readIfThere = (
  files: Pick<Files, 'read'>,
  path: string,
): Promise<Uint8Array | undefined> => unless(TellModel, files.read(path, MOST_LOCK_BYTES));
