import { TellModel } from '../../lib/errors.ts';
import { findNearEdit, withoutLineNumbers } from './near-edit.ts';
import { explainMiss } from './nearest-place.ts';
import { BYTE_ORDER_MARK, lineAt } from './text-file.ts';

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
export async function applyEdits(
  original: string,
  edits: readonly TextEdit[],
): Promise<EditedText> {
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
