import { TellModel } from '../../lib/errors.ts';
import { explainMiss } from './nearest-place.ts';
import { BYTE_ORDER_MARK, lineAt } from './text-file.ts';

export interface TextEdit {
  readonly old_text: string;
  readonly new_text: string;
}

export interface EditedText {
  readonly text: string;
  /** The line (from 1) of each edit in the new text. */
  readonly lines: readonly number[];
}

/**
 * Applies the edits one after another, all or none. Each old text must occur exactly once. Keeps a byte
 * order mark, and the line ends if the text has only one kind.
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
  let positions: number[] = [];
  let text = normalize(body);
  for (const [index, edit] of edits.entries()) {
    const oldText = normalize(edit.old_text);
    const newText = normalize(edit.new_text);
    const position = await findOnce(
      text,
      oldText,
      newText,
      edits.length > 1 ? ` ${index + 1}` : '',
    );
    text = text.slice(0, position) + newText + text.slice(position + oldText.length);
    const moved = newText.length - oldText.length;
    positions = positions.map((before) => (before > position ? before + moved : before));
    positions.push(position);
  }
  const lines = positions.map((position) => lineAt(text, position));
  return { text: mark + (ends === 'crlf' ? text.replaceAll('\n', '\r\n') : text), lines };
}

function lineEndsOf(text: string): 'lf' | 'crlf' | 'mixed' {
  const all = text.split('\n').length;
  const windows = text.split('\r\n').length;
  if (windows === 1) return 'lf';
  return windows === all ? 'crlf' : 'mixed';
}

/** The position of the old text. `which` is the number of the edit, if there are several. */
async function findOnce(
  text: string,
  oldText: string,
  newText: string,
  which: string,
): Promise<number> {
  const invalid = (words: string): TellModel =>
    new TellModel(`Edit${which} could not be applied, so nothing was changed: ${words}`);
  if (oldText === '') throw invalid('old_text is empty. To create a file, write it as a whole.');
  if (oldText === newText) throw invalid('old_text and new_text are the same.');
  const position = text.indexOf(oldText);
  if (position < 0) throw invalid(await explainMiss(text, oldText, newText));
  const second = text.indexOf(oldText, position + 1);
  if (second >= 0)
    throw invalid(
      `old_text occurs more than once (first on lines ${lineAt(text, position)} and ` +
        `${lineAt(text, second)}). Include more of the surrounding lines.`,
    );
  return position;
}
