import { LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';

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
