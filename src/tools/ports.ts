import type { Forge, OpenedPullRequest } from '../contracts/forge.ts';
import type { AnswerDeadline, PlanItem } from '../contracts/effect.ts';
import type { Files } from '../contracts/files.ts';
import type { Git } from '../contracts/git.ts';
import type { Search } from '../contracts/search.ts';
import type { CommandChanges, CommandDone, CommandRequest } from '../contracts/shell.ts';

// What the tools need of the outside; `app/` binds it for each run.
export interface Ports {
  readonly files: Files;
  readonly search: Search;
  readonly git: Git;
  readonly forge: Forge;
  /** What the session has already: read by the flow tools. */
  readonly work: Work;
  readonly commands: Commands;
}

/** The session's work so far. */
export interface Work {
  /** The issue that it is about. */
  issue(): { readonly number: number; readonly title: string };
  plan(): readonly PlanItem[];
  /** Whether people have to agree to a plan before anything is changed, and have not yet. */
  planComesFirst(): boolean;
  /** How long a question of that time waits; `undefined`: without end. */
  answerWait(askedAt: Date): AnswerDeadline | undefined;
  /** The branch that commits go to; with `words`, the one that it would be if it were named so. */
  branch(words?: string): string;
  /** Where the pull request goes. */
  baseBranch(): string;
  /** Whether the session's branch holds a commit of ours. */
  hasCommits(): boolean;
  /** What the next commit takes, by path; `undefined`: all that changed. */
  stagedPaths(): readonly string[] | undefined;
  /** With the logins that were asked to review it. */
  openPullRequest(): (OpenedPullRequest & { readonly reviewers: readonly string[] }) | undefined;
  /** Logins of those who should review it: who asked for the work, and whom the settings name. */
  reviewers(): readonly string[];
  /** Comments of the agent's own in this run. */
  comments(): number;
}

/** What a repository settles about its commands. */
export interface CommandSettings {
  /** The only ones that may be run, `*` for anything in one simple command; all where not given. */
  readonly allow: readonly string[] | undefined;
  /** What runs its tests. */
  readonly test: string | undefined;
  /** What prepares a workspace, in this order. */
  readonly setup: readonly string[];
}

interface CommandRun {
  readonly done: CommandDone;
  readonly changes: CommandChanges;
}

/** A command that prepared the workspace. */
export interface SetupRun extends CommandRun {
  readonly command: string;
}

export interface CommandReport extends CommandRun {
  /** What was run before it to prepare the workspace; mostly nothing. */
  readonly setup: readonly SetupRun[];
}

export interface Commands {
  readonly settings: CommandSettings;
  /**
   * Prepares the workspace where it has to be, and runs a command. What is changed is part of the call.
   * @throws {TellPerson} where the sandbox has broken
   */
  run(request: CommandRequest): Promise<CommandReport>;
}
