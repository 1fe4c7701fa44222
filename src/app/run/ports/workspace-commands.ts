import { createHash } from 'node:crypto';
import { TellModel, unless } from '../../../lib/errors.ts';
import type { RepositorySettings } from '../../../session/settings/index.ts';
import type { StoredChange } from '../../../contracts/files.ts';
import type { CommandReport, Commands, CommandSettings, SetupRun } from '../../../tools/ports.ts';
import type { CommandDone, CommandRequest, Shell, ShellProgram } from '../../../contracts/shell.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import type { JournalTracker } from '../../service/journal-tracker.ts';
import type { Service } from '../../service/service.ts';
import type { SessionStore } from '../../../store/session-store.ts';

const SETUP_MS = 300_000;
const MOST_LOCK_BYTES = 16 * 1024 * 1024;

/** If they have changed, the installed dependencies are out of date. */
const LOCK_FILES = [
  'package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock',
  'poetry.lock uv.lock Pipfile.lock pdm.lock requirements.txt go.sum Cargo.lock Gemfile.lock',
  'composer.lock gradle.lockfile packages.lock.json mix.lock pubspec.lock',
].flatMap((names) => names.split(' '));

interface Parts {
  readonly shell: Shell;
  readonly program: ShellProgram;
  readonly workspace: Pick<Workspace, 'files' | 'commands'>;
  readonly settings: CommandSettings;
  /** What was changed since the base commit and stored, the last state of each path. */
  readonly stored: () => Promise<readonly StoredChange[]>;
}

/** The commands of one run: prepared by the repository's own, and with what they change kept. */
class WorkspaceCommands implements Commands {
  readonly #parts: Parts;
  /** The lock files that the workspace was prepared for; no command reaches this. */
  #preparedFor: string | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get settings(): CommandSettings {
    return this.#parts.settings;
  }

  get program(): ShellProgram {
    return this.#parts.program;
  }

  async run(request: CommandRequest): Promise<CommandReport> {
    const setup = await this.#prepare(request);
    return { ...(await this.#watched(request)), setup };
  }

  async #prepare({ signal, onOutput }: CommandRequest): Promise<readonly SetupRun[]> {
    const setup: SetupRun[] = [];
    if (this.settings.setup.length === 0 || (await this.#locks()) === this.#preparedFor)
      return setup;
    for (const command of this.settings.setup) {
      onOutput?.(`$ ${command}\n`);
      const request = { command, directory: '', timeoutMs: SETUP_MS, signal };
      const { done, changes } = await this.#watched(
        { ...request, ...(onOutput === undefined ? {} : { onOutput }) },
        { isSetup: true },
      );
      setup.push({ command, done, changes });
      if (done.ended !== 'exited' || done.exitCode !== 0) break;
    }
    // Also if it failed: it is not retried before every command.
    this.#preparedFor = await this.#locks();
    return setup;
  }

  async #watched(
    request: CommandRequest,
    { isSetup = false } = {},
  ): Promise<Omit<CommandReport, 'setup'>> {
    const { shell, workspace, stored } = this.#parts;
    const { watch } = workspace.commands;
    await watch.begin();
    let done: CommandDone;
    try {
      done = await shell.run({ ...request, environment: this.settings.environment });
    } catch (error) {
      // A run that is over leaves no workspace behind.
      if (!request.signal.aborted) await watch.takeBack(stored);
      throw error;
    }
    return { done, changes: await watch.end(stored, { isSetup }) };
  }

  async #locks(): Promise<string> {
    const { files } = this.#parts.workspace;
    const hash = createHash('sha256');
    for (const name of LOCK_FILES) {
      const content = await unless(TellModel, files.read(name, MOST_LOCK_BYTES));
      hash.update(`${name}\0${content?.byteLength ?? 'none'}\0`).update(content ?? '');
    }
    return hash.digest('hex');
  }
}

const NONE: CommandSettings = {
  allow: undefined,
  test: undefined,
  setup: [],
  timeout: undefined,
  environment: {},
};

/** What the settings of a repository say of commands. */
export const commandsOf = ({ commands, ...settings }: RepositorySettings): CommandSettings => ({
  allow: commands?.allow,
  test: settings.test ?? settings.tests,
  setup: settings.setup,
  timeout: settings.timeout,
  environment: settings.env,
});

/** The commands of a run. If none are allowed, the tools for them do not exist. */
export function commandsFor(
  {
    shells,
    store,
    tracker,
  }: Pick<Service, 'shells'> & {
    readonly store: Pick<SessionStore, 'changes'>;
    readonly tracker: JournalTracker;
  },
  plan: { readonly commands: CommandSettings },
  workspace: Workspace,
): Commands {
  if (shells === undefined)
    return {
      settings: NONE,
      program: 'sh',
      run: () => Promise.reject(new TellModel('Commands are not allowed here.')),
    };
  return new WorkspaceCommands({
    shell: shells.open(workspace.commands),
    program: shells.program,
    workspace,
    settings: { ...plan.commands, timeout: plan.commands.timeout ?? shells.timeoutSeconds },
    stored: () => store.changes(tracker.id, tracker.session.work.uncommittedSince),
  });
}
