import type { z } from 'zod';
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
  /** Output as it comes, for people who watch; the model gets the result alone. Never throws. */
  readonly progress?: ((text: string) => void) | undefined;
}

export interface ToolResult {
  /** What the model reads. */
  readonly output: string;
  readonly effects?: readonly Effect[];
  /**
   * `false`: the call was made, and what it ran failed, such as the tests. Later calls of the same reply that
   * change something are not run.
   */
  readonly ok?: boolean;
  /**
   * Set by a tool that ends the run: it waits for an answer, it is over, or it failed after it had
   * effects; `output` is then what a person reads.
   */
  readonly halt?: 'asked' | 'finished' | 'failed';
}

/** What a tool says of itself. */
export interface ToolDescription<Arguments extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly aliases: readonly string[];
  /** At most 160 characters, for the model. */
  readonly description: string;
  readonly arguments: Arguments;
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
   * Whether a call only looks: it leaves files, branches, GitHub and the session as they are. After a call
   * that failed, the rest of the reply's calls are run only if they do. A tool that does not say changes something.
   */
  changesNothing?(args: z.infer<Arguments>): boolean;
  /** Whether a call that is no mere look may be made while a plan waits for approval: it asks, or plans. */
  isAllowedBeforeApproval?(args: z.infer<Arguments>): boolean;
  /** Arguments that a model could give: for the documents, and for the checks of the registry. */
  readonly example: z.input<Arguments>;
  /** How the session page shows a call. */
  readonly rendering: ToolRendering<keyof z.input<Arguments> & string>;
  /** One line for people, stored with the call: "Read src/a.ts". */
  title(args: z.infer<Arguments>): string;
}

/**
 * One thing that a model can do. `run` throws `TellModel` for what the model should correct and
 * `TellPerson` for what ends the run; it is safe to repeat after a crash.
 */
export interface Tool<
  Arguments extends z.ZodObject = z.ZodObject,
> extends ToolDescription<Arguments> {
  run(args: z.infer<Arguments>, context: CallContext): Promise<ToolResult>;
}
