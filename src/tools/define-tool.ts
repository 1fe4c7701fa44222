import { z } from 'zod';
import type {
  CallContext,
  Tool,
  ToolArguments,
  ToolDescription,
  ToolRendering,
  ToolResult,
} from '../contracts/tool.ts';
import { cutCharacters } from '../lib/text/text.ts';
import type { Forge, OpenedPullRequest } from '../contracts/forge.ts';
import type {
  AnswerDeadline,
  DependencyUse,
  Effect,
  LeftStep,
  Patch,
  PlanItem,
} from '../contracts/effect.ts';
import type { Files, Skills, Search } from '../contracts/files.ts';
import type { FileDiff, Git } from '../contracts/git.ts';
import type { Memories } from '../contracts/memory.ts';
import type { HiddenText } from '../lib/text/hidden-text.ts';
import type {
  CommandChanges,
  CommandDone,
  CommandRequest,
  ContainedPaths,
  ShellProgram,
} from '../contracts/shell.ts';

// What the tools need of the outside; `app/` binds it for each run.
export interface Ports {
  readonly files: Files;
  readonly search: Search;
  readonly git: Git;
  readonly forge: Forge;
  /** What the session has already: read by the flow tools. */
  readonly work: WorkSoFar;
  readonly commands: Commands;
  readonly memories: Memories;
  readonly skills: Skills;
  readonly reviewer: Reviewer;
  readonly patches: Patches;
  readonly secrets: Secrets;
}

/** A pull request of its own, or the branch of a folder or of someone else's: commits on it, or a patch if it is in a fork. */
type WorkTarget = 'pull_request' | 'branch' | 'patch';

/** The session's work so far. */
export interface WorkSoFar {
  /** The issue of the session. */
  issue(): { readonly number: number; readonly title: string };
  plan(): readonly PlanItem[];
  /** Whether people must approve a plan before anything is changed, and have not done so yet. */
  planComesFirst(): boolean;
  /** The plan that people approved; empty if they approved none. */
  approvedPlan(): readonly PlanItem[];
  /** How long a question asked at that time waits; `undefined`: without a deadline. */
  answerWait(askedAt: Date): AnswerDeadline | undefined;
  /** How the work reaches people. */
  goesTo(): WorkTarget;
  /** The branch that commits go to; with `words`, the branch's name if these words name it. */
  branch(words?: string): string;
  /** Where the pull request goes. */
  baseBranch(): string;
  /** Whether the session's branch has a commit by the agent. */
  hasCommits(): boolean;
  /** The paths that the next commit includes; `undefined`: all changes. */
  stagedPaths(): readonly string[] | undefined;
  /** With the logins of the requested reviewers, and what was left to people. */
  openPullRequest():
    | (OpenedPullRequest & {
        readonly reviewers: readonly string[];
        readonly left: readonly LeftStep[];
      })
    | undefined;
  /** Logins of people who should review it: the requester, and those in the settings. */
  reviewers(): readonly string[];
  /** Logins of those whose request for changes the agent works on. */
  changesRequestedBy(): readonly string[];
  /** The numbers of the review threads that the agent has read. */
  reviewThreads(): readonly number[];
  /** Logins of those whose words the agent has read, and whom nothing was replied to yet. */
  waitingForReply(): readonly string[];
  /** The messages of commits that wait for the end of a round of review, or for a patch; `undefined`: commits do not wait. */
  heldCommits(): readonly string[] | undefined;
  /** Whether there is a commit since the model read what it works on. */
  hasNewCommits(): boolean;
  /** Whether it was asked in this run why nothing was changed. */
  wasAskedWhy(): boolean;
  /** How many comments the agent has posted in this run. */
  comments(): number;
  /** How many memories it has stored in this run. */
  memories(): number;
}

export interface Secrets {
  /** A text as the model sees it. */
  hide(text: string): Promise<HiddenText>;
}

/** Gives people a change of a fork's branch. */
export interface Patches {
  /**
   * All that differs from the head of the pull request. `undefined`: nothing does, or people have it already. Safe to
   * repeat.
   * @throws {TellModel} if it is too large for a comment and cannot be on a branch
   */
  offer(request: OfferedChange): Promise<Patch | undefined>;
}

interface OfferedChange {
  readonly summary: string;
  /** Of the commit, if there is one. */
  readonly message: string;
  readonly at: Date;
}

/** Reviews the change of the session before people do. */
export interface Reviewer {
  /**
   * Has a model review what the branch changes. `undefined`: nobody reviews it, or this very change was reviewed
   * before, and no tests ran since if something was found.
   */
  review(request: ReviewRequest): Promise<ReviewResult | undefined>;
}

interface ReviewRequest {
  /** What is not committed before it was reviewed. */
  readonly unpushed: readonly FileDiff[];
  /** What its author says of it. */
  readonly summary: string;
  readonly signal: AbortSignal;
}

export interface ReviewResult {
  readonly effect: Extract<Effect, { readonly type: 'self_reviewed' }>;
  /** What the model is told if the change is not to be submitted yet. */
  readonly heldBack: string | undefined;
}

/** A repository's settings for commands. */
export interface CommandSettings {
  /** The only commands that may be run, with `*` for anything in one simple command; all if omitted. */
  readonly allow: readonly string[] | undefined;
  /** The test command. */
  readonly test: string | undefined;
  /** The commands that prepare a workspace, in order. */
  readonly setup: readonly string[];
  /** Seconds that a command may take if the model asks for no other time. */
  readonly timeout: number | undefined;
  /** Seconds that tests, and each command of `setup`, may take at most. */
  readonly longest: number;
  /** Variables for commands; none is a secret. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface FinishedCommand {
  readonly done: CommandDone;
  readonly changes: CommandChanges;
}

/** A command that prepared the workspace. */
export interface SetupRun extends FinishedCommand {
  readonly command: string;
}

/** What was put into the workspace before `setup`, of what an earlier one installed. */
export interface Dependencies {
  readonly use: DependencyUse;
  readonly changes: CommandChanges;
}

export interface CommandReport extends FinishedCommand {
  /** Set before the first command if the settings ask for a cache. */
  readonly dependencies?: Dependencies | undefined;
  /** The commands that ran first to prepare the workspace; usually none. */
  readonly setup: readonly SetupRun[];
  /** How many commits of each line of history git has in commands; all if omitted. */
  readonly historyDepth?: number | undefined;
  /** The name under which `output` has all that the command put out; missing if that is not kept. */
  readonly keptAs?: string | undefined;
}

export interface CommandNeeds {
  /** More of the history than the last commit, as far as it can be had. */
  readonly readsHistory?: boolean;
}

export interface Commands {
  readonly settings: CommandSettings;
  readonly program: ShellProgram;
  /** Set if a sandbox contains them. */
  readonly contained: ContainedPaths | undefined;
  /** The hosts that they reach; `undefined` if nothing limits that. */
  readonly hosts: readonly string[] | undefined;
  /** The programs that they find, as a list in words; empty if that is not known. */
  readonly programs: string;
  /** Whether git works in them, on a repository that they can only read. */
  readonly hasRepository: boolean;
  /**
   * Prepares the workspace if necessary, and runs a command. The changed files belong to the call.
   * @throws {TellPerson} if the sandbox is broken
   */
  run(request: CommandRequest, needs?: CommandNeeds): Promise<CommandReport>;
  /** All that a command of this run put out. @throws {TellModel} if it is not kept, or not any more */
  output(name: string): Promise<Uint8Array>;
}

/** The ports that a tool uses, such as `Needs<'files' | 'work'>`. */
export type Needs<Port extends keyof Ports> = Pick<Ports, Port>;

/** A tool that gets its ports with each call. Its description has at most 160 characters. */
export interface ToolDefinition<
  Schema extends z.ZodObject = z.ZodObject,
  Needed = Ports,
> extends ToolDescription<z.infer<Schema>, keyof z.input<Schema> & string> {
  readonly arguments: Schema;
  /** What its description says besides, of what a run works with. */
  readonly adds?: (ports: Needed) => string;
  /** Arguments that a model could give: for the documents, and for the checks of the registry. */
  readonly example: z.input<Schema>;
  run(args: z.infer<Schema>, ports: Needed, context: CallContext): Promise<ToolResult>;
}

/** Infers a tool's types from its schema and from the ports that its `run` takes. */
export const defineTool = <Schema extends z.ZodObject, Needed>(
  tool: ToolDefinition<Schema, Needed>,
): ToolDefinition<Schema, Needed> => tool;

/** A tool that does something else when it is called. */
export const withRun = (
  { example: _example, adds: _adds, ...tool }: ToolDefinition,
  run: Tool['run'],
): Tool => ({ ...tool, arguments: zodArguments(tool.arguments), run });

/** Binds a tool to the ports of a run. */
export function bind({ example: _example, adds, ...tool }: ToolDefinition, ports: Ports): Tool {
  return {
    ...tool,
    get description() {
      return adds === undefined ? tool.description : `${tool.description} ${adds(ports)}`;
    },
    arguments: zodArguments(tool.arguments),
    run: (args, context) => tool.run(args, ports, context),
  };
}

/** Characters: a call may be wrong in ten thousand places. */
const MAX_FAULT = 2_000;

const made = new WeakMap<z.ZodObject, ToolArguments>();

/** Arguments that a schema of zod describes and checks. */
export function zodArguments(schema: z.ZodObject): ToolArguments {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const { $schema: _version, ...parameters } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const keyword of UNSAID) delete jsonSchema[keyword];
      for (const [name, property] of Object.entries(jsonSchema.properties ?? {}))
        if (typeof property === 'object' && 'untold' in property)
          delete jsonSchema.properties?.[name];
    },
  });
  const args: ToolArguments = {
    parameters,
    names: Object.keys(schema.shape),
    check: (given) => {
      const parsed = schema.safeParse(given);
      if (parsed.success) return { args: parsed.data };
      return { wrong: cutCharacters(z.prettifyError(parsed.error), MAX_FAULT) };
    },
  };
  made.set(schema, args);
  return args;
}

/** Validation still applies them. Models rarely break one, and then they are told. */
const UNSAID = [
  'additionalProperties',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'default',
] as const;

type RenderedTool = Pick<Tool, 'name' | 'aliases' | 'argumentAliases' | 'rendering'>;

/** How calls are shown, by each name that a tool goes by, with each name that its arguments go by. */
export function renderingsOf(tools: readonly RenderedTool[]): ReadonlyMap<string, ToolRendering> {
  return new Map(
    tools.flatMap((tool) => {
      const rendering = withAliases(tool);
      return [tool.name, ...tool.aliases].map((name) => [name, rendering] as const);
    }),
  );
}

function withAliases({ argumentAliases = {}, rendering }: RenderedTool): ToolRendering {
  const aliased = Object.entries(argumentAliases).flatMap(([alias, name]) => {
    const how = rendering.arguments[name];
    return how === undefined ? [] : [[alias, how] as const];
  });
  return {
    ...rendering,
    arguments: { ...rendering.arguments, ...Object.fromEntries(aliased) },
  };
}
