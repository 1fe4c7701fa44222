import { faultsOf, listed, parseFile, settingText } from './settings-faults.ts';
import type { Fault, ParsedFile } from './settings-faults.ts';
import {
  DEFAULT_LABEL,
  repositorySettingsSchema,
  type RepositorySettings,
  SETTINGS_FILE,
  type GivenSettings,
} from './index.ts';
import { LimitSettings, Paths } from './fields.ts';
import { mergeReview } from './review.ts';
import { distance } from '../../lib/text/text.ts';
import { intersection } from '../../lib/glob.ts';

/** All strings are Markdown. */
export type ReadSettings =
  | {
      readonly settings: RepositorySettings;
      /** The file or files, to begin a sentence with. */
      readonly source: string;
      /** What is ignored, and why; the defaults replace it. */
      readonly warnings: readonly string[];
    }
  | ({
      /** What is wrong and where, to follow "is invalid:"; no run may start. */
      readonly fault: string;
      /** The file with the fault. */
      readonly file: string;
    } & TriggerSettings);

/** Who is answered while the settings are invalid: what can still be read of them. */
interface TriggerSettings {
  readonly label: string;
  readonly who: RepositorySettings['who'];
}

/** The file of the owner's `.github` repository. */
interface OwnersFile {
  readonly text: string | undefined;
  /** `owner/.github` */
  readonly repository: string;
}

/** Settings that a person gives to one run, over those of the repository. */
export interface SettingsLayer {
  readonly given: GivenSettings;
  /** To begin a sentence with. */
  readonly source: string;
}

/** They say who may ask for what, which is for the repository to say. */
const NOT_FOR_A_RUN: readonly string[] = ['label', 'on', 'who', 'answers_from', 'merge_when_ready'];

/** Reads them; nothing of them is ignored. `setup`: commands that take the place of those in the file. */
export function readLayer(
  text: string,
  setup: readonly string[],
): Pick<SettingsLayer, 'given'> | { readonly fault: string } {
  const read = readFile(text);
  if ('fault' in read) return { fault: read.fault };
  const [warning] = read.warnings;
  if (warning !== undefined) return { fault: warning };
  const wrong = NOT_FOR_A_RUN.find((name) => name in read.given);
  if (wrong !== undefined)
    return { fault: `\`${wrong}\` is for the repository to say, not for a run` };
  const given = setup.length === 0 ? read.given : { ...read.given, setup: [...setup] };
  const parsed = repositorySettingsSchema.safeParse(given);
  if (parsed.success) return { given };
  return { fault: listed(parsed.error.issues.flatMap(faultsOf), undefined).join('; ') };
}

/**
 * Reads the settings from the files' texts; `undefined` means that there is no such file. What a person gives to a run
 * counts like the repository's own file over that of its owner: what either forbids stays forbidden.
 */
export function readSettings(
  own: string | undefined,
  owners?: OwnersFile,
  layer?: SettingsLayer,
): ReadSettings {
  const ownersName = `\`${SETTINGS_FILE}\` of \`${owners?.repository ?? ''}\``;
  const ownersRead = readFile(owners?.text);
  const ownRead = readFile(own);
  const heard = heardOf(ownRead, ownersRead);
  if ('fault' in ownersRead) return { fault: ownersRead.fault, file: ownersName, ...heard };
  if ('fault' in ownRead) return { fault: ownRead.fault, file: `\`${SETTINGS_FILE}\``, ...heard };
  const files = mergeSettings(ownersRead.given, ownRead.given);
  const parsed = repositorySettingsSchema.safeParse(
    layer === undefined ? files : mergeSettings(files, layer.given),
  );
  if (!parsed.success) {
    const faults = parsed.error.issues.flatMap(faultsOf);
    const file =
      owners?.text === undefined
        ? `\`${SETTINGS_FILE}\``
        : `The combination of ${ownersName} with the file here`;
    if (layer !== undefined)
      return {
        fault: listed(faults, undefined).join('; '),
        file: `The combination of \`${SETTINGS_FILE}\` with ${layer.source}`,
        ...heard,
      };
    return { fault: listed(faults, undefined).join('; '), file, ...heard };
  }
  return {
    settings: parsed.data,
    source:
      owners?.text === undefined
        ? `\`${SETTINGS_FILE}\``
        : `\`${SETTINGS_FILE}\` here or in \`${owners.repository}\``,
    warnings: [
      ...ownersRead.warnings.map((words) => `${ownersName}, ${words}`),
      ...ownRead.warnings.map((words) => `\`${SETTINGS_FILE}\`, ${words}`),
    ],
  };
}

type ReadFile =
  | { readonly given: GivenSettings; readonly warnings: readonly string[] }
  | { readonly fault: string; readonly heard: Partial<TriggerSettings> };

function heardOf(own: ReadFile, owners: ReadFile): TriggerSettings {
  const [first, second] = [own, owners].map((read) => ('fault' in read ? read.heard : read.given));
  return {
    label: (first?.label ?? second?.label ?? DEFAULT_LABEL).trim(),
    who: first?.who ?? second?.who ?? 'write',
  };
}

function readFile(text: string | undefined): ReadFile {
  if (text === undefined) return { given: {}, warnings: [] };
  const file = parseFile(text);
  if (file.fault !== undefined) return { fault: file.fault, heard: heardIn(file, text) };
  const parsed = repositorySettingsSchema.safeParse(file.value);
  // What was parsed without an issue has the shape that the schema takes.
  if (parsed.success) return { given: file.value as GivenSettings, warnings: [] };
  const faults = parsed.error.issues.flatMap(faultsOf);
  if (!faults.every(isHarmless)) {
    const fault = listed(faults.map(withHint), file).join('; ');
    return { fault, heard: heardIn(file, text) };
  }
  const left = new Set(faults.map(({ path }) => path[0]));
  const entries = Object.entries(file.value as object).filter(([name]) => !left.has(name));
  return {
    given: Object.fromEntries(entries),
    warnings: listed(faults.map(withConsequence), file),
  };
}

/** A role that is given but invalid counts as the highest one. */
function heardIn(file: ParsedFile, text: string): Partial<TriggerSettings> {
  const label = repositorySettingsSchema.shape.label.safeParse(settingText(file, 'label') ?? '');
  const who = repositorySettingsSchema.shape.who.safeParse(settingText(file, 'who') ?? '');
  const isNamed = /^[^\w\r\n\u2028\u2029]*who/m.test(text);
  return {
    ...(label.success ? { label: label.data } : {}),
    ...(who.success ? { who: who.data } : {}),
    ...(isNamed && !who.success ? { who: 'admin' } : {}),
  };
}

/** Misspellings are only suggested for names at the root. */
function withHint(fault: Fault): Fault {
  const name =
    fault.isUnknown && fault.path.length === 1 ? meant(String(fault.path[0])) : undefined;
  return name === undefined
    ? fault
    : { ...fault, words: `${fault.words}. Did you mean \`${name}\`?` };
}

const withConsequence = (fault: Fault): Fault => ({
  ...fault,
  words: `${fault.words}; ${fault.isUnknown ? 'ignored' : 'the default is used'}`,
});

/** Settings whose default allows no more than any other value. */
const HARMLESS: ReadonlySet<PropertyKey> = new Set([
  'label',
  'protocol',
  'cache',
  'draft',
  'reviewers',
  'language',
  'continuous',
  'comment_wait',
  'on_pull_request_comments',
  'duplicates',
  'question_timeout',
  'answers_from',
  'edit_instructions',
] satisfies readonly (keyof RepositorySettings)[]);

/** All other settings, and the members of groups, whose group name people may leave out. */
const STRICT: readonly string[] = [
  ...Object.keys(repositorySettingsSchema.shape).filter((name) => !HARMLESS.has(name)),
  ...Object.keys(LimitSettings.shape),
  ...Object.keys(Paths.shape),
];

/**
 * Whether the default may replace the setting. It may not if the setting could be a restriction, or is
 * an unknown name that looks like a misspelled restriction.
 */
function isHarmless({ path, isUnknown }: Fault): boolean {
  const [name] = path;
  if (path.length === 1 && isUnknown) return meant(String(name)) === undefined;
  return name !== undefined && HARMLESS.has(name);
}

/** The strict setting that an unknown name may be a misspelling of. */
function meant(name: string): string | undefined {
  const letters = lettersOf(name);
  return STRICT.find((strict) => {
    const other = lettersOf(strict);
    return letters.includes(other.replace(/s$/, '')) || isNear(letters, other);
  });
}

const LONGEST_NAME = 40;

const lettersOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .slice(0, LONGEST_NAME);

/** Two letters may be wrong, or one in a short name. */
const isNear = (one: string, other: string): boolean =>
  distance(one, other) <= (other.length > 4 ? 2 : 1);

/**
 * A repository's settings override its owner's, except: the lower of two limits counts, paths that
 * either denies are denied, tools that either removes are removed, and only MCP servers and models that both list are used.
 */
function mergeSettings(owners: GivenSettings, own: GivenSettings): GivenSettings {
  return {
    ...owners,
    ...own,
    limits: lowest(owners.limits, own.limits),
    paths: closed(owners.paths, own.paths),
    tools: wanted(owners.tools, own.tools),
    ...servers(owners.mcp, own.mcp),
    ...models(owners.models, own.models),
    commands: allowed(owners.commands, own.commands),
    review: mergeReview(owners.review, own.review),
    env: { ...owners.env, ...own.env },
    commits: { ...owners.commits, ...own.commits },
    merge_when_ready:
      owners.merge_when_ready === false ? false : (own.merge_when_ready ?? owners.merge_when_ready),
  };
}

type LimitSettings = GivenSettings['limits'];

function lowest(one: LimitSettings = {}, other: LimitSettings = {}): LimitSettings {
  const limits: Record<string, number> = {};
  for (const [name, limit] of [...Object.entries(one), ...Object.entries(other)])
    if (limit !== undefined) limits[name] = Math.min(limit, limits[name] ?? Infinity);
  return limits;
}

type Paths = GivenSettings['paths'];

function closed(owners: Paths, own: Paths): Paths {
  if (owners === undefined || own === undefined) return own ?? owners;
  const deny = [...new Set([...(owners.deny ?? []), ...(own.deny ?? [])])];
  return { ...owners, ...own, ...(deny.length === 0 ? {} : { deny }) };
}

type Servers = GivenSettings['mcp'];

function servers(owners: Servers, own: Servers): { readonly mcp?: string[] } {
  if (owners === undefined || own === undefined) return {};
  return { mcp: own.filter((name) => owners.includes(name)) };
}

type Models = GivenSettings['models'];

/** What no list has in common allows no model: then the run says so. */
function models(owners: Models, own: Models): Pick<GivenSettings, 'models'> {
  if (owners === undefined || own === undefined) return {};
  const lists = [owners.allow, own.allow].filter((list) => list !== undefined);
  const [first = [], second = first] = lists;
  const allow = lists.length === 0 ? {} : { allow: first.filter((name) => second.includes(name)) };
  return { models: { ...allow, labels: owners.labels !== false && own.labels !== false } };
}

type Commands = GivenSettings['commands'];

function allowed(owners: Commands, own: Commands): Commands {
  if (owners === undefined || own === undefined) return own ?? owners;
  return { allow: intersection(owners.allow, own.allow) };
}

type Tools = GivenSettings['tools'];

function wanted(owners: Tools = {}, own: Tools = {}): Tools {
  const both = [...Object.entries(owners), ...Object.entries(own)];
  const taken = both.filter(([, isWanted]) => !isWanted);
  return Object.fromEntries([...both, ...taken]);
}
