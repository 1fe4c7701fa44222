import type { Effect } from './effect.ts';

/** Dangerous tools do not exist for the model unless the operator allows them. */
type Safety = 'safe' | 'dangerous';

/**
 * How a page shows a value: a path, code, a diff, what goes and what comes in an edit, prose in
 * Markdown, or lines as they are.
 */
export type Rendering = 'path' | 'code' | 'diff' | 'removed' | 'added' | 'prose' | 'plain';

export interface ToolRendering<Argument extends string = string> {
  /** By name, also for fields within an argument; `plain` if omitted. */
  readonly arguments: Readonly<Partial<Record<Argument, Rendering>>>;
  readonly output: Rendering;
}

export interface CallContext {
  /** When the call began. For calls that reach beyond the workspace, it is the same when a crash repeats them. */
  readonly startedAt: Date;
  readonly signal: AbortSignal;
  /** The names of the tools that the run has, for texts that name another one; missing outside of a run. */
  readonly tools?: ReadonlySet<string>;
  /** Characters that the model has room for in the result, which is cut to them; missing if that is not known. */
  readonly room?: number | undefined;
  /** The service restarted during this call, which may have had its effect; missing if not. */
  readonly isRepeat?: boolean;
  /** Output as it comes, for people who watch; the model gets the result alone. Never throws. */
  readonly progress?: ((text: string) => void) | undefined;
}

export interface ToolResult {
  /** What the model reads. */
  readonly output: string;
  readonly effects?: readonly Effect[];
  /**
   * `false`: the call was made, and what it ran failed, such as the tests. It is a result like any other.
   */
  readonly ok?: boolean;
  /**
   * Set by a tool that ends the run: it waits for an answer, it is over, or it failed after it had
   * effects; `output` is then what a person reads.
   */
  readonly halt?: 'asked' | 'finished' | 'failed';
}

/** Publishing waits for the edits before it; the end of the work also for the tests. */
export type WaitsFor = 'edits' | 'edits and tests';

/** Arguments of a call, once they are checked. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The arguments of a tool: what models are told of them, and how they are checked. */
export interface ToolArguments {
  /** A JSON schema of an object; short, because every request contains it. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** All that the tool takes; `undefined` if it takes others too. */
  readonly names: readonly string[] | undefined;
  /** `wrong`: what is wrong with them, for the model. */
  check(given: unknown): { readonly args: Arguments } | { readonly wrong: string };
}

/**
 * What a session works on. In folders, there is no GitHub. By hand, a person's token takes the place of an App's, and a
 * terminal that of the comments. `splits`: sub-issues of the issue are proposed.
 */
export type WorkKind =
  | 'issues'
  | 'issues by hand'
  | 'pull requests of others'
  | 'folders'
  | 'splits';

/** What a tool says of itself. `Args`: its arguments, once they are checked. */
export interface ToolDescription<Args = Arguments, Name extends string = string> {
  readonly name: string;
  readonly aliases: readonly string[];
  /** For the model. */
  readonly description: string;
  /** What it is told instead in runs of another kind than an issue's. */
  readonly descriptions?: Readonly<Partial<Record<WorkKind, string>>>;
  /** Another name under which an argument is accepted: `{question_text: 'question'}`. */
  readonly argumentAliases?: Readonly<Record<string, string>>;
  readonly safety: Safety;
  /**
   * `workspace`: a call is quick, and does nothing but change files there and tell effects, so one that
   * was interrupted has not happened: it is journaled once it has. Any other, and one of a tool that
   * does not say, is journaled before it acts too.
   */
  readonly reach?: 'workspace';
  /**
   * Whether a call only looks: it leaves files, branches, GitHub and the session as they are. A tool that does not
   * say changes something.
   */
  changesNothing?(args: Args): boolean;
  /** Whether a call that is no mere look may be made while a plan waits for approval: it asks, or plans. */
  isAllowedBeforeApproval?(args: Args): boolean;
  /** The files that a call edits: it is not run if an earlier edit of one of them in the same reply did not apply. */
  edits?(args: Args): readonly string[];
  /** What has to have worked in the same reply before a call is run; missing: nothing. */
  readonly waitsFor?: WaitsFor;
  /** A call that goes through ends the work: it waits while people wait for something that the model can still do. */
  readonly endsWork?: true;
  /** A call is for people alone: it is made after the end too, and without it the work does not end. */
  readonly isForPeople?: true;
  /** A call may leave out what the ones before it gave that were not carried out. */
  readonly keepsArguments?: true;
  /** A run of another kind does not have it; missing: every run may. */
  readonly worksOn?: readonly WorkKind[];
  /** How the session page shows a call. */
  readonly rendering: ToolRendering<Name>;
  /** One line for people, stored with the call: "Read src/a.ts". */
  title(args: Args): string;
}

/** A tool, as far as only its name counts. */
export interface NamedTool {
  readonly name: string;
}

/**
 * One thing that a model can do. `run` throws `TellModel` for what the model should correct and
 * `TellPerson` for what ends the run; it is safe to repeat after a crash.
 */
export interface Tool extends ToolDescription {
  readonly arguments: ToolArguments;
  run(args: Arguments, context: CallContext): Promise<ToolResult>;
}
