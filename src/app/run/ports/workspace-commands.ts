import { createHash } from 'node:crypto';
import { TellModel } from '../../../lib/errors.ts';
import type { StoredChange } from '../../../contracts/files.ts';
import type {
  CommandNeeds,
  CommandReport,
  Commands,
  CommandSettings,
  FinishedCommand,
  SetupRun,
} from '../../../tools/define-tool.ts';
import type {
  CommandDone,
  CommandRepository,
  CommandRequest,
  Shell,
} from '../../../contracts/shell.ts';
import { CommandOutputs, filesNamedIn, UNCHANGED } from '../../../workspace/command-changes.ts';
import type { Workspace, CommandWorkspace } from '../../../workspace/workspace.ts';
import type { RunPlan } from '../plan/plan.ts';
import type { RunScope } from '../../service/service.ts';
import {
  dependenciesFor,
  longestOf,
  readIfThere,
  runSetup,
  type WorkspaceDependencies,
} from './setup-cache.ts';

/** If they have changed, the installed dependencies are out of date. */
const LOCK_FILES = [
  'package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock',
  'poetry.lock uv.lock Pipfile.lock pdm.lock requirements.txt go.sum Cargo.lock Gemfile.lock',
  'composer.lock gradle.lockfile packages.lock.json mix.lock pubspec.lock',
].flatMap((names) => names.split(' '));

interface CommandScope {
  readonly shell: Shell;
  readonly workspace: CommandWorkspace;
  readonly settings: CommandSettings;
  readonly hasRepository: boolean;
  /** What was changed since the base commit and stored, the last state of each path. */
  readonly stored: () => Promise<readonly StoredChange[]>;
  readonly dependencies: WorkspaceDependencies | undefined;
}

/** The commands of one run: prepared by the repository's own, and with what they change kept. */
class WorkspaceCommands implements Pick<Commands, 'run' | 'output'> {
  readonly #parts: CommandScope;
  readonly #outputs: CommandOutputs;
  /** The lock files that the workspace was prepared for; no command reaches this. */
  #preparedFor: string | undefined;

  constructor(parts: CommandScope) {
    this.#parts = parts;
    this.#outputs = new CommandOutputs(parts.workspace.commands.directory);
  }

  async run(request: CommandRequest, needs: CommandNeeds = {}): Promise<CommandReport> {
    const prepared = await this.#prepare(request);
    const kept = this.#outputs.begin();
    const onOutput = (text: string): void => {
      kept.hear(text);
      request.onOutput?.(text);
    };
    try {
      const ran = await this.#watched({ ...request, onOutput }, needs);
      return { ...ran, ...prepared, keptAs: kept.end() };
    } catch (error) {
      kept.end();
      throw error;
    }
  }

  output(name: string): Promise<Uint8Array> {
    return this.#outputs.read(name);
  }

  async #prepare(request: CommandRequest): Promise<Omit<CommandReport, keyof FinishedCommand>> {
    const { setup } = this.#parts.settings;
    if (setup.length === 0 || (await this.#locks()) === this.#preparedFor) return { setup: [] };
    const taken =
      this.#preparedFor === undefined ? await this.#takeDependencies(request) : undefined;
    const ran = taken?.dependencies.use.isAll === true ? [] : await this.#setUp(request);
    // Also if it failed: it is not retried before every command.
    this.#preparedFor = await this.#locks();
    return { setup: [...(taken?.setup ?? []), ...ran], dependencies: taken?.dependencies };
  }

  async #takeDependencies(request: CommandRequest) {
    const { dependencies, workspace, stored } = this.#parts;
    if (dependencies === undefined) return undefined;
    const { watch } = workspace.commands;
    await watch.begin();
    const { use, ran } = await dependencies.take(request);
    const changes = await watch.end(stored, { isSetup: true });
    const setup = ran.map((run) => ({ ...run, changes: UNCHANGED }));
    return { dependencies: { use, changes }, setup };
  }

  #setUp(asked: CommandRequest): Promise<readonly SetupRun[]> {
    return runSetup(this.#parts.settings, asked, (request) =>
      this.#watched(request, { isSetup: true }),
    );
  }

  async #watched(
    request: CommandRequest,
    { isSetup = false, readsHistory = false }: CommandNeeds & { readonly isSetup?: boolean } = {},
  ): Promise<FinishedCommand & Pick<CommandReport, 'historyDepth'>> {
    const { shell, workspace, stored, settings, hasRepository } = this.#parts;
    const { watch } = workspace.commands;
    await watch.begin();
    let done: CommandDone;
    let repository: CommandRepository | undefined;
    try {
      if (hasRepository) repository = await workspace.commands.repository?.({ readsHistory });
      done = await shell.run({ ...request, environment: settings.environment, repository });
    } catch (error) {
      // A run that is over leaves no workspace behind.
      if (!request.signal.aborted) await watch.takeBack(stored);
      throw error;
    }
    const isNamed = filesNamedIn(request.command, request.directory);
    const changes = await watch.end(stored, { isSetup, isNamed });
    return { done, changes, historyDepth: repository?.historyDepth };
  }

  async #locks(): Promise<string> {
    const { workspace, dependencies } = this.#parts;
    const names = new Set([...LOCK_FILES, ...(dependencies?.keyFiles ?? [])]);
    const hash = createHash('sha256');
    for (const name of names) {
      const content = await readIfThere(workspace.files, name);
      hash.update(`${name}\0${content?.byteLength ?? 'none'}\0`).update(content ?? '');
    }
    return hash.digest('hex');
  }
}

const NOT_ALLOWED = new TellModel('Commands are not allowed here.');

const NO_COMMANDS: Commands = {
  settings: {
    allow: undefined,
    test: undefined,
    setup: [],
    timeout: undefined,
    longest: longestOf({}),
    environment: {},
  },
  program: 'sh',
  contained: undefined,
  hosts: [],
  programs: '',
  hasRepository: false,
  run: () => Promise.reject(NOT_ALLOWED),
  output: () => Promise.reject(NOT_ALLOWED),
};

/** The commands of a run. If none are allowed, the tools for them do not exist. */
export function commandsFor(
  scope: RunScope,
  plan: RunPlan,
  workspace: Workspace,
  programs = '',
): Commands {
  const { tracker, service } = scope;
  const { store } = service;
  const { shells } = plan;
  if (shells === undefined) return NO_COMMANDS;
  // What prepares the workspace installs them itself.
  const borrowed = plan.commands.setup.length === 0 ? scope.github.borrowed : undefined;
  const settings = {
    ...plan.commands,
    timeout: plan.commands.timeout ?? shells.timeoutSeconds,
    longest: longestOf(shells),
  };
  const { program, contained, hosts } = shells;
  const hasRepository = contained?.hasGit === true && workspace.commands.repository !== undefined;
  const commands = new WorkspaceCommands({
    shell: shells.open({ ...workspace.commands, borrowed }),
    workspace,
    settings,
    hasRepository,
    stored: () => store.changes(tracker.id, tracker.session.work.uncommittedSince),
    dependencies: dependenciesFor(scope, plan, workspace),
  });
  return {
    settings,
    program,
    contained: contained && {
      ...contained,
      keepsTemporary: contained.keepsTemporary && borrowed?.root.startsWith('/tmp/') !== true,
    },
    hosts,
    programs,
    hasRepository,
    run: (request, needs) => commands.run(request, needs),
    output: (name) => commands.output(name),
  };
}
