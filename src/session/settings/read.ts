import { faultsOf, listed, parseFile, textOf, type Fault, type ParsedFile } from './faults.ts';
import { isHarmless, meant } from './harmless.ts';
import { DEFAULT_LABEL, RepositorySettings, SETTINGS_FILE, type GivenSettings } from './index.ts';
import { mergeSettings } from './merge.ts';

/** All strings are Markdown. */
export type ReadSettings =
  | {
      readonly settings: RepositorySettings;
      /** Where they stand, to begin a sentence with. */
      readonly source: string;
      /** What is not followed, and why; the defaults stand in for it. */
      readonly warnings: readonly string[];
    }
  | ({
      /** What is wrong and where, to follow "cannot be used:"; no run may begin. */
      readonly fault: string;
      /** The file that it stands in. */
      readonly file: string;
    } & Heard);

/** Who is answered, and may say something, while the settings cannot be used: what they say of it. */
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
        : `${ownersName}, together with the one here,`;
    return { fault: listed(faults, undefined).join('; '), file, ...heard };
  }
  return {
    settings: parsed.data,
    source:
      owners?.text === undefined
        ? `\`${SETTINGS_FILE}\``
        : `\`${SETTINGS_FILE}\`, here or in \`${owners.repository}\`,`,
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

/** A role that is named and cannot be read is taken for the highest one. */
function heardIn(file: ParsedFile, text: string): Partial<Heard> {
  const label = RepositorySettings.shape.label.safeParse(textOf(file, 'label') ?? '');
  const who = RepositorySettings.shape.who.safeParse(textOf(file, 'who') ?? '');
  const isNamed = /^\W*who/m.test(text);
  return {
    ...(label.success ? { label: label.data } : {}),
    ...(who.success ? { who: who.data } : {}),
    ...(isNamed && !who.success ? { who: 'admin' } : {}),
  };
}

/** Only a name at the root can be a misspelling that is told. */
function withHint(fault: Fault): Fault {
  const name =
    fault.isUnknown && fault.path.length === 1 ? meant(String(fault.path[0])) : undefined;
  return name === undefined ? fault : { ...fault, words: `${fault.words}: is it \`${name}\`?` };
}

const withConsequence = (fault: Fault): Fault => ({
  ...fault,
  words: `${fault.words}; ${fault.isUnknown ? 'it is ignored' : 'the default is used'}`,
});
