import { z } from 'zod';
import { escapeGlob } from '../../lib/glob.ts';
import {
  AllowedCommands,
  CommandTimeout,
  CommandVariables,
  SetupCommands,
  TestCommand,
  Cache,
} from './commands.ts';
import { EnvironmentSetting } from './environment.ts';
import {
  CommentWait,
  EFFORTS,
  FixCi,
  Language,
  LimitSettings,
  MergeWhenReady,
  ModelName,
  Models,
  oneOf,
  PullRequestComments,
  ResolveThreads,
  Servers,
  SETTINGS,
  Tools,
  Triggers,
  YES_OR_NO,
  InstructionList,
  isPlainPath,
  Paths,
} from './fields.ts';
import { OTHER_AGENTS } from './other-agents.ts';
import { REVIEW_FILE, ReviewSettings } from './review.ts';

const MAX_DIRECTORIES = 50;
const MAX_PATH = 240;

const LIST = 'must be a list of directories, such as "services/billing"';
const DIRECTORY =
  'must be a directory of the repository, such as "services/billing", without "..", "*" or a leading "/" or "./"';

const Sparse = z
  .array(
    z
      .string(DIRECTORY)
      .transform((path) => path.replace(/\/$/, ''))
      .refine(
        (path) => path.length <= MAX_PATH && isPlainPath(path) && !/[*?[\]{}]/.test(path),
        DIRECTORY,
      ),
    LIST,
  )
  .min(1, LIST)
  .max(MAX_DIRECTORIES, `has more than ${MAX_DIRECTORIES} entries`)
  .transform((paths): readonly string[] => [...new Set(paths)]);

const DAY_MS = 86_400_000;
const UNITS = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', DAY_MS],
  ['w', 7 * DAY_MS],
]);
const LONGEST_MS = 90 * DAY_MS;
const DURATION = 'must be a time from `1m` to `90d`: a whole number of `m`, `h`, `d` or `w`';
const TIMEOUT = `${DURATION}; or \`after\` with such a time, and \`action\` with \`defaults\` or \`pause\``;

const Duration = z
  .string(DURATION)
  .refine(
    (text) => /^[1-9]\d{0,5}[mhdw]$/.test(text) && millisecondsOf(text) <= LONGEST_MS,
    DURATION,
  );

const millisecondsOf = (text: string): number =>
  Number.parseInt(text, 10) * (UNITS.get(text.slice(-1)) ?? Infinity);

/** How long a question waits for an answer, and what happens then. */
const QuestionTimeout = z
  .union(
    [
      Duration,
      z.strictObject({
        after: Duration.describe('Time to wait, such as `12h` or `3d`'),
        action: oneOf(['defaults', 'pause'])
          .default('defaults')
          .describe(
            '`defaults`: continue with the proposed answers, at most twice in a row; `pause`: pause until someone answers',
          ),
      }),
    ],
    TIMEOUT,
  )
  .transform((value) => {
    const { after, action } =
      typeof value === 'string' ? { after: value, action: 'defaults' as const } : value;
    return { afterMs: millisecondsOf(after), action };
  });

const MAX_REVIEWERS = 15;
const MAX_BRANCH = 240;
const LOGIN = 'must be the login of a person, such as `octo-maintainer`; for teams, use CODEOWNERS';

const Base = z
  .string('must be the name of a branch')
  .min(1, 'is empty')
  .max(MAX_BRANCH, `is longer than ${MAX_BRANCH} characters`);

const Reviewers = z
  .array(z.string(LOGIN).regex(/^[a-zA-Z\d][a-zA-Z\d-]{0,38}$/, LOGIN), 'must be a list of logins')
  .max(MAX_REVIEWERS, `has more than ${MAX_REVIEWERS} entries`);

const Commits = z.strictObject(
  {
    co_author: z
      .boolean(YES_OR_NO)
      .default(true)
      .describe('Whether commits name the person who requested the work as co-author'),
    sign_off: z
      .boolean(YES_OR_NO)
      .default(false)
      .describe(
        'Whether commits carry the `Signed-off-by` (DCO) of the person who requested the work; enable only with their consent',
      ),
    publish: oneOf(['auto', 'verified', 'push'])
      .default('auto')
      .describe(
        '`verified`: GitHub makes and signs the commits; `push`: git pushes them, without a signature; `auto`: `verified` for all but [very large changes](using.md#verified-commits)',
      ),
  },
  SETTINGS,
);

export const SETTINGS_FILE = '.github/issuewright.yml';
export const DEFAULT_LABEL = 'issuewright';

/** The default of the operator's list. */
export const DEFAULT_INSTRUCTIONS: readonly string[] = [
  'CLAUDE.md',
  'AGENT.md',
  'AGENTS.md',
  'docs/TOOL_ARCHITECTURE.md',
  '.github/copilot-instructions.md',
];

/**
 * Globs of the files that decide how agents work here, which an agent changes only if the settings allow it.
 * @param instructions the files with instructions that are in use
 */
export const steeringFiles = (instructions: readonly string[]): readonly string[] => [
  ...new Set([
    SETTINGS_FILE,
    ...DEFAULT_INSTRUCTIONS,
    REVIEW_FILE,
    ...Object.values(OTHER_AGENTS).flat(),
    ...instructions.map(escapeGlob),
  ]),
];

/** `.github/issuewright.yml`, read from the default branch only. */
export const repositorySettingsSchema = z.strictObject(
  {
    label: z
      .string('must be a string')
      .trim()
      .min(1, 'is empty')
      .max(50, 'is longer than 50 characters')
      .default(DEFAULT_LABEL)
      .describe(
        'The label that starts work on an issue, in any case; an emoji may be a character or a name such as `:robot:`',
      ),
    on: Triggers,
    model: ModelName.optional().describe(
      "One of the operator's models, as `provider:name`; defaults to the first of them",
    ),
    model_effort: oneOf(EFFORTS)
      .optional()
      .describe(
        "How much the model [thinks](models.md#effort), up to the operator's `MODEL_EFFORT_MAX`; defaults to the operator's `MODEL_EFFORT`",
      ),
    models: Models.default({ labels: true }),
    self_review: z
      .boolean(YES_OR_NO)
      .default(true)
      .describe(
        'Whether a model reviews the whole change once before it is submitted, and the agent fixes what it finds',
      ),
    review_model: ModelName.optional().describe(
      "The model for that review, one of the operator's models; defaults to the operator's `REVIEW_MODEL`, or else to `model`",
    ),
    protocol: oneOf(['auto', 'native', 'json', 'react'])
      .optional()
      .describe('How the model calls tools, if the operator set `PROTOCOL` to `auto`'),
    mode: oneOf(['agent', 'single', 'completion'])
      .default('agent')
      .describe(
        '`agent`: work until done; `single`: one model reply and its tool calls; `completion`: one answer without tools',
      ),
    plan: oneOf(['auto', 'ask'])
      .default('auto')
      .describe(
        '`ask`: show a plan first, and start once someone approves it; the label `issuewright:plan` does this for a single issue',
      ),
    duplicates: oneOf(['ask', 'say', 'off'])
      .default('ask')
      .describe(
        'What to do before work begins if a pull request or a commit closes the issue already: `ask` before working, only `say` it, or `off`, do not look',
      ),
    continuous: z
      .boolean(YES_OR_NO)
      .default(false)
      .describe(
        'When a session finishes, start on the oldest labelled issue not yet worked on, unless a question is open',
      ),
    sub_issues: oneOf(['merged', 'on_top'])
      .default('merged')
      .describe(
        'When the next [sub-issue](using.md#sub-issues) starts: after the merge of the one before, or `on_top` of its pull request',
      ),
    fix_ci: FixCi,
    limits: LimitSettings.default({}),
    paths: Paths.optional(),
    sparse: Sparse.optional().describe(
      'The only directories that a workspace has, for [huge repositories](#huge-repositories); all if omitted',
    ),
    tools: Tools.default({}).describe(
      '[Tools](tools.md) by name: `true` adds a tool to the defaults, `false` removes it',
    ),
    mcp: Servers,
    base: Base.optional().describe(
      'Branch to start from and to open pull requests against; defaults to the default branch',
    ),
    draft: z
      .boolean(YES_OR_NO)
      .default(true)
      .describe('Whether a pull request stays a draft until the work is submitted for review'),
    reviewers: Reviewers.default([]).describe(
      'Logins of people to request reviews from, in addition to the person who requested the work; no teams',
    ),
    commits: Commits.default({ co_author: true, sign_off: false, publish: 'auto' }),
    review: ReviewSettings.describe(
      'Which pull requests of others are [reviewed](using.md#reviews-of-pull-requests): one of `requested`, `opened`, `ready` and `off`, or `when` with one of them, and the rest',
    ),
    comment_wait: CommentWait,
    on_pull_request_comments: PullRequestComments,
    resolve_threads: ResolveThreads,
    merge_when_ready: MergeWhenReady,
    commands: AllowedCommands,
    environment: EnvironmentSetting,
    setup: SetupCommands,
    cache: Cache.optional().describe(
      '[What `setup` installs](#a-cache-for-setup), kept for later sessions of the repository',
    ),
    test: TestCommand,
    env: CommandVariables,
    timeout: CommandTimeout,
    language: Language,
    question_timeout: QuestionTimeout.optional().describe(
      'How long a question waits for an answer, such as `12h` or `3d`; no limit if omitted',
    ),
    who: oneOf(['write', 'maintain', 'admin'])
      .default('write')
      .describe('Minimum role required to request work and give commands'),
    answers_from: oneOf(['writers', 'author'])
      .default('writers')
      .describe('`author`: the author of the issue may also answer questions'),
    edit_instructions: z
      .boolean(YES_OR_NO)
      .default(false)
      .describe(
        'Whether the agent may change this file and files that steer agents, such as `AGENTS.md` and `CLAUDE.md`',
      ),
    workflows: oneOf(['never', 'ask'])
      .default('never')
      .describe(
        '`ask`: the agent may change files under `.github/workflows`, and each such change waits until someone with admin access [approves it](using.md#workflow-files); needs the optional permission *workflows*',
      ),
    instructions: InstructionList.optional().describe(
      "Files with instructions for the agent, in this order; replaces the operator's `INSTRUCTION_FILES`; an empty list for no files",
    ),
  },
  SETTINGS,
);

export type RepositorySettings = z.infer<typeof repositorySettingsSchema>;

/** The contents of a file, without defaults. */
export type GivenSettings = z.input<typeof repositorySettingsSchema>;
