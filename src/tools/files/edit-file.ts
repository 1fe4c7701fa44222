import { z } from 'zod';
import { defineTool, type Needs, type Secrets } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import {
  aliased,
  brief,
  count,
  FILE_SYNONYMS,
  repositoryPath,
  untold,
  yesOrNo,
} from '../arguments.ts';
import { syntaxWarning } from '../syntax/check.ts';
import { BYTE_ORDER_MARK, lineAt, requireText, withFate } from './text-file.ts';
import { quoted } from '../../lib/text/invisible.ts';
import { findNearEdit, withoutLineNumbers } from './near-edit.ts';
import { explainMiss } from './nearest-place.ts';
import { countMarks, revealAll, type HiddenText } from '../../lib/text/hidden-text.ts';
import { REDACTED } from '../../lib/text/redact.ts';

const item = z.strictObject({
  old_text: z.string(),
  new_text: z.string(),
  replace_all: untold(yesOrNo()),
});

const TEXT_SYNONYMS = {
  old_string: 'old_text',
  new_string: 'new_text',
  old_str: 'old_text',
  new_str: 'new_text',
  search: 'old_text',
  replace: 'new_text',
} as const;

const edit = aliased(item, TEXT_SYNONYMS);

const schema = z.object({
  path: repositoryPath(),
  old_text: z.string().optional().describe('Text that occurs exactly once'),
  new_text: z.string().optional(),
  replace_all: yesOrNo(),
  edits: z.array(edit).max(100).optional().describe('Several edits at once'),
});

export const editFile = defineTool({
  name: 'edit_file',
  aliases: [],
  description:
    'Replaces exact pieces of text in a file. If one edit does not fit, none is applied.',
  arguments: schema,
  argumentAliases: { ...FILE_SYNONYMS, ...TEXT_SYNONYMS },
  safety: 'safe',
  reach: 'workspace',
  edits: ({ path }) => [path],
  example: { path: 'src/main.ts', old_text: 'const a = 1;', new_text: 'const a = 2;' },
  rendering: {
    arguments: { path: 'path', old_text: 'removed', new_text: 'added' },
    output: 'plain',
  },
  title: ({ path }) => `Edit ${brief(path)}`,
  run: async (args, { files, secrets }: Needs<'files' | 'secrets'>) => {
    const given = editsOf(args);
    const original = requireText(await files.read(args.path), args.path);
    const edits = await revealEdits(original, given, secrets);
    const edited = await applyEdits(original, edits);
    const { text, notes } = edited;
    const written = await files.write(args.path, Buffer.from(text));
    const head = `Edited ${quoted(args.path)}: ${placesOf(edited)}.`;
    const done = [withFate(head, written), ...notes].join(' ');
    return { output: done + (await syntaxWarning(args.path, original, text)) };
  },
});

function placesOf({ count: replaced, lines }: EditedText): string {
  const more = replaced > lines.length ? ', …' : '';
  const places = lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.join(', ')}`;
  return `${count(replaced, 'replacement')}, at ${places}${more}`;
}

function editsOf(args: z.infer<typeof schema>): readonly TextEdit[] {
  const { old_text, new_text, replace_all, edits = [] } = args;
  if ((old_text === undefined) !== (new_text === undefined))
    throw new TellModel(`There is no ${old_text === undefined ? 'old_text' : 'new_text'}.`);
  const single = old_text === undefined || new_text === undefined ? [] : [{ old_text, new_text }];
  const several = edits.map((each) => ({
    ...each,
    replace_all: replace_all || each.replace_all === true,
  }));
  const all = [...single.map((each) => ({ ...each, replace_all })), ...several];
  if (all.length > 0) return all;
  throw new TellModel('There is no edit: give old_text and new_text, or edits.');
}

export interface TextEdit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean | undefined;
}

export interface EditedText {
  readonly text: string;
  /** How many places were replaced. */
  readonly count: number;
  /** The lines (from 1) of the new text in which each edit begins to differ, of its first places. */
  readonly lines: readonly number[];
  /** How edits were applied that did not fit exactly. */
  readonly notes: readonly string[];
}

const MAX_LINES = 20;

/**
 * Applies the edits one after another, all or none. Each old text must occur exactly once, unless all occurrences are to
 * be replaced; small differences are bridged if only one meaning is left. Keeps a byte order mark, and the line ends if
 * the text has only one kind.
 * @throws {TellModel} saying which edit does not fit, and why
 */
async function applyEdits(original: string, edits: readonly TextEdit[]): Promise<EditedText> {
  const mark = original.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const body = original.slice(mark.length);
  const ends = lineEndsOf(body);
  const normalize = (text: string): string =>
    ends === 'mixed' ? text : text.replaceAll('\r\n', '\n');
  const notes: string[] = [];
  let positions: number[] = [];
  let count = 0;
  let text = normalize(body);
  for (const [index, { old_text, new_text, replace_all: all = false }] of edits.entries()) {
    const which = edits.length > 1 ? ` ${index + 1}` : '';
    const change = await findChange(text, normalize(old_text), normalize(new_text), all, which);
    const { starts, newText, note } = change;
    const moved = newText.length - change.length;
    const before = (position: number): number => starts.filter((start) => start < position).length;
    positions = positions.map((position) => position + moved * before(position));
    const first = firstChange(text.slice(starts[0], (starts[0] ?? 0) + change.length), newText);
    positions.push(...starts.slice(0, MAX_LINES).map((start, nth) => start + moved * nth + first));
    text = replaceAt(text, change);
    count += starts.length;
    if (note !== undefined) notes.push(which === '' ? note : `Edit${which}: ${note}`);
  }
  const lines = positions.map((position) => lineAt(text, position));
  const whole = mark + (ends === 'crlf' ? text.replaceAll('\n', '\r\n') : text);
  return { text: whole, count, lines, notes };
}

/** Where the new text of an edit begins to differ: what is inserted after a line begins on the next one. */
function firstChange(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  return after[at] === '\n' && before[at] === undefined ? at + 1 : at;
}

function lineEndsOf(text: string): 'lf' | 'crlf' | 'mixed' {
  const all = text.split('\n').length;
  const windows = text.split('\r\n').length;
  if (windows === 1) return 'lf';
  return windows === all ? 'crlf' : 'mixed';
}

/** Places of one length that get the same new text. */
interface Change {
  readonly starts: readonly number[];
  readonly length: number;
  readonly newText: string;
  readonly note?: string;
}

function replaceAt(text: string, { starts, length, newText }: Change): string {
  const kept = starts.map((start, index) =>
    text.slice(index === 0 ? 0 : (starts[index - 1] ?? 0) + length, start),
  );
  return [...kept, text.slice((starts.at(-1) ?? 0) + length)].join(newText);
}

/** Where and how to apply an edit. `which` is its number, if there are several. */
async function findChange(
  text: string,
  oldText: string,
  newText: string,
  all: boolean,
  which: string,
): Promise<Change> {
  const invalid = (words: string): TellModel =>
    new TellModel(`Edit${which} could not be applied, so nothing was changed: ${words}`);
  if (oldText === '') throw invalid('old_text is empty. To create a file, write it as a whole.');
  if (oldText === newText) throw invalid('old_text and new_text are the same.');
  const starts = startsOf(text, oldText, all);
  if (starts.length === 0)
    return (
      (await findNearChange(text, oldText, newText)) ??
      Promise.reject(invalid(await explainMiss(text, oldText, newText)))
    );
  const second = all ? -1 : text.indexOf(oldText, (starts[0] ?? 0) + 1);
  if (second >= 0)
    throw invalid(
      `old_text occurs more than once (first on lines ${lineAt(text, starts[0] ?? 0)} and ` +
        `${lineAt(text, second)}). Include more of the surrounding lines, or set replace_all.`,
    );
  return { starts, length: oldText.length, newText };
}

function startsOf(text: string, wanted: string, all: boolean): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    starts.push(at);
    if (!all) break;
  }
  return starts;
}

/** The change that an edit means which does not fit exactly; `undefined` unless it can mean only one. */
async function findNearChange(
  text: string,
  oldText: string,
  newText: string,
): Promise<Change | undefined> {
  const bare = withoutLineNumbers(oldText, newText);
  const wanted = bare ?? { oldText, newText };
  const numbers = bare === undefined ? [] : ['Line numbers were left out of old_text.'];
  const start = bare === undefined ? -1 : text.indexOf(wanted.oldText);
  const isOnly = start >= 0 && !text.includes(wanted.oldText, start + 1);
  if (isOnly && wanted.oldText !== '' && wanted.oldText !== wanted.newText)
    return {
      starts: [start],
      length: wanted.oldText.length,
      newText: wanted.newText,
      note: numbers.join(' '),
    };
  const near = start < 0 ? await findNearEdit(text, wanted.oldText, wanted.newText) : undefined;
  if (near === undefined) return undefined;
  const isAdapted = near.newText !== wanted.newText;
  const how = `old_text differed from the file in ${near.differs.join(' and ')}`;
  const adapted = isAdapted
    ? `; new_text was adapted. It now reads:\n${shorten(near.newText)}`
    : '.';
  return {
    starts: [near.start],
    length: near.end - near.start,
    newText: near.newText,
    note: [...numbers, how + adapted].join(' '),
  };
}

const MAX_SHOWN_LINES = 12;
const MAX_SHOWN_CHARACTERS = 1000;

function shorten(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const shown = lines.slice(0, MAX_SHOWN_LINES).join('\n');
  const cut = shown.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
  return cut.length < shown.length || lines.length > MAX_SHOWN_LINES ? `${cut}\n…` : cut;
}

// What a model writes about places of a file that are hidden from it.

const STANDS_FOR = `${REDACTED} stands for text that is hidden from you`;
const MEANT = 'If a program is to have these very characters, join them from two strings.';

const marksIn = (text: string): number => countMarks(text, REDACTED);

/** @throws {TellModel} if the content has a mark that the file does not have itself */
export async function requireNoMark(
  content: string,
  before: string | undefined,
  secrets: Secrets,
): Promise<void> {
  const marks = marksIn(content);
  if (marks === 0) return;
  const hidden = (await secrets.hide(before ?? '')).hidden;
  if (hidden.length >= marks && hidden.every((text) => text === REDACTED)) return;
  throw new TellModel(
    `Nothing was written: ${STANDS_FOR}, and the file would have ${REDACTED} in its place. Edit only what is around it instead: if the old and the new text of an edit both have ${REDACTED}, the file keeps what it hides. ${MEANT}`,
  );
}

/**
 * The edits with what is hidden in place of the marks: the file keeps it.
 * @throws {TellModel} if an edit adds a mark, or nobody can say what its marks stand for
 */
async function revealEdits<Edit extends TextEdit>(
  original: string,
  edits: readonly Edit[],
  secrets: Secrets,
): Promise<readonly Edit[]> {
  if (edits.every((edit) => marksIn(edit.old_text + edit.new_text) === 0)) return edits;
  const file = await secrets.hide(original.replaceAll('\r\n', '\n'));
  return edits.map((edit) => revealEdit(file, edit));
}

function revealEdit<Edit extends TextEdit>(file: HiddenText, edit: Edit): Edit {
  const [old, added] = [marksIn(edit.old_text), marksIn(edit.new_text)];
  if (added > old)
    throw rejected(
      `new_text adds ${REDACTED}. ${STANDS_FOR}: use it in new_text only where old_text has it too, and the file keeps what it hides. ${MEANT}`,
    );
  if (old === 0) return edit;
  const hidden = hiddenBy(file, edit.old_text.replaceAll('\r\n', '\n'), old);
  if (added > 0 && added < old && new Set(hidden).size > 1)
    throw rejected(
      `new_text has fewer ${REDACTED} than old_text, and they stand for different texts. Make an edit for each of them.`,
    );
  return {
    ...edit,
    old_text: revealAll({ text: edit.old_text, hidden }, REDACTED),
    new_text: revealAll({ text: edit.new_text, hidden }, REDACTED),
  };
}

/** What the marks of a text stand for in a file. If the text is not there, what all marks of the file stand for. */
function hiddenBy({ text, hidden }: HiddenText, wanted: string, marks: number): readonly string[] {
  const found = new Map<string, readonly string[]>();
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = marksIn(text.slice(0, at));
    const here = hidden.slice(before, before + marks);
    found.set(JSON.stringify(here), here);
  }
  const [first, ...others] = found.values();
  if (others.length > 0)
    throw rejected(
      `old_text occurs more than once, and its ${REDACTED} stands for different texts. Include more of the surrounding lines.`,
    );
  const [only = REDACTED, ...more] = new Set(hidden);
  if (first === undefined && more.length > 0)
    throw rejected(
      `old_text was not found. Its ${REDACTED} stands for hidden text, of which the file has more than one: copy the lines around it exactly.`,
    );
  return first ?? Array.from({ length: marks }, () => only);
}

const rejected = (words: string): TellModel =>
  new TellModel(`No edit was applied, so nothing was changed: ${words}`);
