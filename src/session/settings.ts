import { LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import { compileSearchGlob } from '../lib/glob.ts';

export const SETTINGS_FILE = '.github/issuewright.yml';
export const DEFAULT_LABEL = 'issuewright';

/** The operator's list, where the operator names none. */
export const DEFAULT_INSTRUCTIONS: readonly string[] = [
  'CLAUDE.md',
  'AGENT.md',
  'AGENTS.md',
  'docs/TOOL_ARCHITECTURE.md',
  '.github/copilot-instructions.md',
];

const MAX_INSTRUCTIONS = 10;
const MAX_PATH = 240;
const MAX_GLOBS = 50;
const MAX_REVIEWERS = 15;
const MAX_BRANCH = 240;

const whole = (max: number) => {
  const error = `has to be a whole number from 1 to ${max}`;
  return z.int(error).min(1, error).max(max, error).optional();
};

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `has to be one of ${names.map((name) => `\`${name}\``).join(', ')}`);

const MIN_DOLLARS = 0.01;
const MAX_DOLLARS = 10_000;
const DOLLARS = `has to be a number from ${MIN_DOLLARS} to ${MAX_DOLLARS}, in US dollars`;

const PATH =
  'has to be the path of a file from the root of the repository, such as "docs/GUIDE.md"; no "..", no leading "/" or "./"';

/** Files with instructions for the agent, in the order in which it reads them. */
export const InstructionList = z
  .array(
    z.string(PATH).max(MAX_PATH, PATH).refine(isPlainPath, PATH),
    'has to be a list of paths; an empty list, `[]`, switches them off',
  )
  .max(MAX_INSTRUCTIONS, `has more than ${MAX_INSTRUCTIONS} entries`)
  .transform((paths): readonly string[] => [...new Set(paths)]);

function isPlainPath(path: string): boolean {
  if (/[\p{Cc}\p{Zl}\p{Zp}\\`]/u.test(path) || path !== path.trim()) return false;
  return path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

const GLOB =
  'has to be a path or glob from the root of the repository, such as "src/**"; no "..", no "!"';

const GlobList = z
  .array(
    z.string(GLOB).max(MAX_PATH, GLOB).refine(isGlob, GLOB),
    'has to be a list of paths or globs, such as "src/**"',
  )
  .max(MAX_GLOBS, `has more than ${MAX_GLOBS} entries`);

function isGlob(glob: string): boolean {
  const path = glob.replaceAll('\\', '').replaceAll(/^\/|\/$/g, '');
  if (!isPlainPath(path) || glob.startsWith('!')) return false;
  try {
    return Boolean(compileSearchGlob(glob));
  } catch {
    return false;
  }
}

const SETTINGS = 'has to hold settings, one `name: value` on each line';

const Limits = z.strictObject(
  {
    turns: whole(500).describe('Model replies for one run'),
    minutes: whole(600).describe('Wall time of one run'),
    dollars: z
      .number(DOLLARS)
      .min(MIN_DOLLARS, DOLLARS)
      .max(MAX_DOLLARS, DOLLARS)
      .optional()
      .describe('US dollars that the model may cost for one run'),
  },
  SETTINGS,
);

const Paths = z.strictObject(
  {
    allow: GlobList.optional().describe('The only files that may be written; else all may'),
    deny: GlobList.optional().describe('Files that are neither read nor written nor listed'),
  },
  SETTINGS,
);

const YES_OR_NO = 'has to be `true` or `false`';
const TOOLS = 'has to hold names of tools, each with `true` or `false`';
const LOGIN =
  'has to be the login of a person, such as `octo-maintainer`; teams go into CODEOWNERS';

const Reviewers = z
  .array(z.string(LOGIN).regex(/^[a-z\d][a-z\d-]{0,38}$/i, LOGIN), 'has to be a list of logins')
  .max(MAX_REVIEWERS, `has more than ${MAX_REVIEWERS} entries`);

/** Which tools there are is not known here: the names are checked where it is. */
const Tools = z.record(z.string().regex(/^[a-z][a-z\d_]{0,63}$/), z.boolean(YES_OR_NO), {
  error: ({ code }) => (code === 'invalid_key' ? 'is no name of a tool' : TOOLS),
});

const Commits = z.strictObject(
  {
    co_author: z
      .boolean(YES_OR_NO)
      .default(true)
      .describe('Whether commits name who asked for the work as their co-author'),
    sign_off: z
      .boolean(YES_OR_NO)
      .default(false)
      .describe('Whether commits carry the `Signed-off-by` of who asked for the work'),
  },
  SETTINGS,
);

/** `.github/issuewright.yml`, read from the default branch only. */
const RepositorySettings = z.strictObject(
  {
    label: z
      .string('has to be a text')
      .trim()
      .min(1, 'is empty')
      .max(50, 'is longer than 50 characters')
      .default(DEFAULT_LABEL)
      .describe('The label that starts work on an issue'),
    model: z
      .string('has to be a text such as `provider:name`')
      .optional()
      .describe('One of the models that the operator offers, as `provider:name`'),
    protocol: oneOf(['auto', 'native', 'json', 'react'])
      .optional()
      .describe('How the model is asked to call tools; else as the operator says'),
    mode: oneOf(['agent', 'single', 'completion'])
      .default('agent')
      .describe('`single`: one reply and what it asks for; `completion`: one answer, no tools'),
    limits: Limits.default({}),
    paths: Paths.optional(),
    tools: Tools.default({}).describe('Tools that a run has or lacks, by name: `true` or `false`'),
    base: z
      .string('has to be the name of a branch')
      .min(1, 'is empty')
      .max(MAX_BRANCH, `is longer than ${MAX_BRANCH} characters`)
      .optional()
      .describe('The branch that work begins from and pull requests go to; else the default one'),
    draft: z
      .boolean(YES_OR_NO)
      .default(true)
      .describe('Whether a pull request is a draft until the work is submitted'),
    reviewers: Reviewers.default([]).describe(
      'Logins that are asked to review, besides the person who asked for the work',
    ),
    commits: Commits.default({ co_author: true, sign_off: false }),
    instructions: InstructionList.optional().describe(
      'Files with instructions for the agent, in this order; an empty list: none',
    ),
  },
  SETTINGS,
);

export type RepositorySettings = z.infer<typeof RepositorySettings>;

const DEFAULT_SETTINGS: RepositorySettings = RepositorySettings.parse({});

/** The settings, or what is wrong with the file and where: Markdown, to follow "cannot be used:". */
export type ReadSettings = { readonly settings: RepositorySettings } | { readonly fault: string };

/** Reads the file's text; `undefined` means that the repository has none. */
export function readSettings(text: string | undefined): ReadSettings {
  if (text === undefined) return { settings: DEFAULT_SETTINGS };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) return { fault: error.message };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 20 });
  } catch (thrown) {
    return { fault: thrown instanceof Error ? thrown.message : 'it cannot be read as YAML' };
  }
  const parsed = RepositorySettings.safeParse(value ?? {});
  if (parsed.success) return { settings: parsed.data };
  const faults = parsed.error.issues.flatMap((issue) => faultsOf(issue, document, lines));
  const shown = faults.slice(0, MAX_FAULTS);
  if (faults.length > MAX_FAULTS) shown.push(`and ${faults.length - MAX_FAULTS} more`);
  return { fault: shown.join('; ') };
}

const MAX_FAULTS = 5;
const MAX_NAME = 60;

/** "line 4: `limits.turns` has to be …" */
function faultsOf(issue: z.core.$ZodIssue, document: Document, lines: LineCounter): string[] {
  if (issue.code !== 'unrecognized_keys') {
    return [`${lineOf(issue.path, document, lines)}${nameOf(issue.path)} ${issue.message}`];
  }
  return issue.keys.map((key) => {
    const path = [...issue.path, key];
    return `${lineOf(path, document, lines)}${nameOf(path)} is no setting`;
  });
}

function nameOf(path: readonly PropertyKey[]): string {
  const name = path
    .map((step, at) =>
      typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${String(step)}`,
    )
    .join('');
  return name === '' ? 'the file' : `\`${name.replaceAll(/[`\s]/g, ' ').slice(0, MAX_NAME)}\``;
}

function lineOf(path: readonly PropertyKey[], document: Document, lines: LineCounter): string {
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  const isPlaced = typeof node === 'object' && node !== null && 'range' in node;
  const range = isPlaced && Array.isArray(node.range) ? node.range : [];
  return typeof range[0] === 'number' ? `line ${lines.linePos(range[0]).line}: ` : '';
}
