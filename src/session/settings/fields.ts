// Settings that need no file of their own, and what several of them are made of.
import { z } from 'zod';
import type { Effort } from '../../contracts/model.ts';
import { unlessItFails } from '../../lib/errors.ts';
import { compileSearchGlob } from '../../lib/glob.ts';

export const SETTINGS = 'must contain settings, one `name: value` per line';
export const YES_OR_NO = 'must be `true` or `false`';

const whole = (max: number) => {
  const error = `must be a whole number from 1 to ${max}`;
  return z.int(error).min(1, error).max(max, error).optional();
};

export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of ${names.map((name) => `\`${name}\``).join(', ')}`);

/** From the lowest on. */
export const EFFORTS = ['low', 'medium', 'high', 'max'] as const satisfies readonly Effort[];

/** Whether an effort is above another one, as far as both are given. */
export const isHigher = (one: Effort | undefined, other: Effort | undefined): boolean =>
  one !== undefined && other !== undefined && EFFORTS.indexOf(one) > EFFORTS.indexOf(other);

const MODEL = 'must be a string such as `provider:name`';
const MODELS = 'must be a list of models, such as `provider:name`';

export const ModelName = z.string(MODEL);

/** Which models there are is for the operator to say. */
export const Models = z.strictObject(
  {
    allow: z
      .array(z.string(MODELS), MODELS)
      .min(1, 'is empty, so no model could work here')
      .max(20, 'has more than 20 models')
      .optional()
      .describe(
        'The only models that may work here, for their servers receive the code; all that the operator offers if omitted. After an [outage](models.md#another-model-after-an-outage), a model of another server continues only if it is listed',
      ),
    labels: z
      .boolean(YES_OR_NO)
      .default(true)
      .describe(
        'Whether labels on an issue, such as `issuewright:high` or `issuewright:gpt-5.4`, choose [effort and model](models.md#effort)',
      ),
  },
  SETTINGS,
);

const TOOLS = 'must contain names of tools, each with `true` or `false`';

/** The list of tools is not known here; the names are checked elsewhere. */
export const Tools = z.record(
  z.string().regex(/^(?:[a-z][a-z\d_]{0,63}|mcp__[\w-]{1,59})$/),
  z.boolean(YES_OR_NO),
  {
    error: ({ code }) => (code === 'invalid_key' ? 'is not the name of a tool' : TOOLS),
  },
);

const SERVERS = 'must be a list of names of MCP servers';

/** Which servers there are is not known here; the names are checked elsewhere. */
export const Servers = z
  .array(z.string(SERVERS).trim().min(1, SERVERS).max(20, SERVERS), SERVERS)
  .max(20, 'has more than 20 names')
  .optional()
  .describe(
    '[MCP servers](mcp.md) by name, of those that the operator offers; all of them if omitted, none for an empty list',
  );

const LANGUAGE = 'must be the name of a language, such as "German" or "pt-BR"';
const MAX_NAME = 40;

/** Only for the model: the service's own texts are English. */
export const Language = z
  .string(LANGUAGE)
  .trim()
  .max(MAX_NAME, LANGUAGE)
  .refine((name) => /^[\p{L}\p{M}\d][\p{L}\p{M}\d ()-]+$/u.test(name), LANGUAGE)
  .optional()
  .describe('Language the agent writes to people in; defaults to the language of the issue');

const MIN_DOLLARS = 0.01;
const MAX_DOLLARS = 10_000;
const AMOUNT = `must be a number from ${MIN_DOLLARS} to ${MAX_DOLLARS}, in US dollars`;

export const Dollars = z.number(AMOUNT).min(MIN_DOLLARS, AMOUNT).max(MAX_DOLLARS, AMOUNT);

export const LimitSettings = z.strictObject(
  {
    turns: whole(500).describe('Model replies per run'),
    minutes: whole(600).describe('Minutes of wall time per run'),
    review_rounds: whole(100).describe(
      'Runs for reviews of the pull request, one after the other, before a person has to ask for more',
    ),
    dollars: Dollars.optional().describe('US dollars of model cost per run'),
    ci_rounds: whole(10).describe(
      'Fixes of failed checks in a row, until a person writes again; 3 if omitted',
    ),
  },
  SETTINGS,
);

// What else than the label starts work on an issue.

const TYPE =
  'must be `type:` with the name of an issue type, such as `type:Bug`, or a list of those';
const MOST_TYPES = 20;
const PREFIX = 'type:';

const Trigger = z
  .string(TYPE)
  .refine((text) => text.startsWith(PREFIX) && text.slice(PREFIX.length).trim() !== '', TYPE)
  .refine((text) => text.length <= 100, 'is longer than 100 characters');

/** The names of types. */
export const Triggers = z
  .union(
    [Trigger, z.array(Trigger, TYPE).max(MOST_TYPES, `has more than ${MOST_TYPES} entries`)],
    TYPE,
  )
  .default([])
  .transform((given): readonly string[] =>
    [given].flat().map((text) => text.slice(PREFIX.length).trim()),
  )
  .describe(
    'What else starts work on an issue when someone who can request work sets it: `type:` with an [issue type](using.md#requesting-work), such as `type:Bug`, or a list',
  );

// What happens if the checks of a pull request fail.

export const FixCi = oneOf(['off', 'own', 'ask'])
  .default('ask')
  .describe(
    'If checks of its pull request fail: `ask` posts one comment, and a 👍 lets the agent fix them; `own` fixes them without asking; `off` does nothing',
  );

export const DEFAULT_CI_ROUNDS = 3;

// How reviews of a pull request are answered.

const LONGEST_WAIT = 600;
const WAIT = `must be a whole number of seconds from 0 to ${LONGEST_WAIT}`;

export const CommentWait = z
  .int(WAIT)
  .min(0, WAIT)
  .max(LONGEST_WAIT, WAIT)
  .default(20)
  .describe(
    'Seconds without another comment after which single comments on lines, and replies to them, start a run; a review, a mention or a command starts one at once',
  );

/** The limit of rounds, if the settings have none. */
export const REVIEW_ROUNDS = 10;

/** Which comments in the conversation of the App's own pull request request work. */
export const PullRequestComments = oneOf(['mention', 'all'])
  .default('mention')
  .describe(
    "Which comments in the conversation of the App's own pull request request work: those that `mention` it, or `all`; reviews, comments on lines and answers to its questions need no mention",
  );

export const ResolveThreads = oneOf(['own', 'never'])
  .default('never')
  .describe(
    '`own`: review threads whose lines the agent changed are resolved after its reply, unless they have a comment that it did not answer',
  );

/** The methods that GitHub knows, beside yes and no. */
const METHODS = ['merge', 'squash', 'rebase'] as const;

export const MergeWhenReady = z
  .union([z.boolean(), z.enum(METHODS)], `${YES_OR_NO}, \`merge\`, \`squash\` or \`rebase\``)
  .default(false)
  .describe(
    "Whether [`/issuewright merge when ready`](using.md#merging-when-ready) switches on GitHub's auto-merge; with the first method that the repository allows, or the one given here",
  );

const MAX_INSTRUCTIONS = 10;
const MAX_PATH = 240;
const MAX_GLOBS = 50;

const PATH =
  'must be the path of a file from the root of the repository, such as "docs/GUIDE.md", without ".." or a leading "/" or "./"';

/** Files with instructions for the agent, in order. */
export const InstructionList = z
  .array(
    z.string(PATH).max(MAX_PATH, PATH).refine(isPlainPath, PATH),
    'must be a list of paths; an empty list, `[]`, means none',
  )
  .max(MAX_INSTRUCTIONS, `has more than ${MAX_INSTRUCTIONS} entries`)
  .transform((paths): readonly string[] => [...new Set(paths)]);

export function isPlainPath(path: string): boolean {
  if (/[\p{Cc}\p{Zl}\p{Zp}\\`]/u.test(path) || path !== path.trim()) return false;
  return path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

const GLOB =
  'must be a path or glob from the root of the repository, such as "src/**", without ".." or "!"';

export const GlobList = z
  .array(
    z.string(GLOB).max(MAX_PATH, GLOB).refine(isGlob, GLOB),
    'must be a list of paths or globs, such as "src/**"',
  )
  .max(MAX_GLOBS, `has more than ${MAX_GLOBS} entries`);

function isGlob(glob: string): boolean {
  const path = glob.replaceAll('\\', '').replaceAll(/^\/|\/$/g, '');
  if (!isPlainPath(path) || glob.startsWith('!')) return false;
  return unlessItFails(() => compileSearchGlob(glob)) !== undefined;
}

export const Paths = z.strictObject(
  {
    allow: GlobList.optional().describe(
      'Globs of the files the agent may write; all files if omitted',
    ),
    deny: GlobList.optional().describe(
      'Globs of files the agent may not read, write, list or search',
    ),
  },
  SETTINGS,
);
