// What a model writes about places of a file that are hidden from it.
import { TellModel } from '../../lib/errors.ts';
import { countMarks, revealAll, type HiddenText } from '../../lib/text/hidden-text.ts';
import { REDACTED } from '../../lib/text/redact.ts';
import type { Secrets } from '../ports.ts';
import type { TextEdit } from './text-edit.ts';

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
export async function revealEdits<Edit extends TextEdit>(
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
