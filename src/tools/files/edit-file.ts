import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import {
  aliased,
  brief,
  count,
  FILE_SYNONYMS,
  yesOrNo,
  repositoryPath,
  untold,
} from '../arguments.ts';
import { syntaxWarning } from '../syntax/check.ts';
import { revealEdits } from './hidden-places.ts';
import { applyEdits, type EditedText, type TextEdit } from './text-edit.ts';
import { requireText, withFate } from './text-file.ts';
import { quoted } from '../../lib/text/invisible.ts';

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
