import {
  faultsOf,
  listed,
  parseFile,
  textOf,
  type Fault,
  type ParsedFile,
} from './settings-faults.ts';
import { isHarmless, meant } from './harmless.ts';
import { DEFAULT_LABEL, RepositorySettings, SETTINGS_FILE, type GivenSettings } from './index.ts';
import { mergeSettings } from './merge.ts';

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
    } & Heard);

/** Who is answered while the settings are invalid: what can still be read of them. */
interface Heard {
  readonly label: string;
  readonly who: RepositorySettings['who'];
}

/** The file of the owner's `.github` repository. */
interface OwnersFile {
  readonly text: string | undefined;
  /** `owner/.github` */
  readonly repository: string;
}

/** Reads the settings from the files' texts; `undefined` means that there is no such file. */
export function readSettings(own: string | undefined, owners?: OwnersFile): ReadSettings {
  const ownersName = `\`${SETTINGS_FILE}\` of \`${owners?.repository ?? ''}\``;
  const ownersRead = readFile(owners?.text);
  const ownRead = readFile(own);
  const heard = heardOf(ownRead, ownersRead);
  if ('fault' in ownersRead) return { fault: ownersRead.fault, file: ownersName, ...heard };
  if ('fault' in ownRead) return { fault: ownRead.fault, file: `\`${SETTINGS_FILE}\``, ...heard };
  const parsed = RepositorySettings.safeParse(mergeSettings(ownersRead.given, ownRead.given));
  if (!parsed.success) {
    const faults = parsed.error.issues.flatMap(faultsOf);
    const file =
      owners?.text === undefined
        ? `\`${SETTINGS_FILE}\``
        : `The combination of ${ownersName} with the file here`;
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
  | { readonly fault: string; readonly heard: Partial<Heard> };

function heardOf(own: ReadFile, owners: ReadFile): Heard {
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
  const parsed = RepositorySettings.safeParse(file.value);
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
function heardIn(file: ParsedFile, text: string): Partial<Heard> {
  const label = RepositorySettings.shape.label.safeParse(textOf(file, 'label') ?? '');
  const who = RepositorySettings.shape.who.safeParse(textOf(file, 'who') ?? '');
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
