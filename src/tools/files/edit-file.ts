import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import { aliased, brief, count } from '../arguments.ts';
import { syntaxWarning } from '../syntax/check.ts';
import { revealEdits } from './hidden-places.ts';
import { applyEdits, type TextEdit } from './text-edit.ts';
import { requireText, withFate } from './text-file.ts';
import { quoted } from '../../lib/text/invisible.ts';

const edit = aliased(z.strictObject({ old_text: z.string(), new_text: z.string() }), {
  old_string: 'old_text',
  new_string: 'new_text',
});

const schema = z.object({
  path: z.string(),
  old_text: z.string().optional().describe('Text that occurs exactly once, without line numbers'),
  new_text: z.string().optional().describe('The replacement'),
  edits: z
    .array(edit)
    .max(100)
    .optional()
    .describe('Several replacements, instead of old_text and new_text'),
});

export const editFile = defineTool({
  name: 'edit_file',
  aliases: [],
  description:
    'Replaces exact pieces of text in a file. If one edit does not fit, none is applied.',
  arguments: schema,
  argumentAliases: { file_path: 'path', old_string: 'old_text', new_string: 'new_text' },
  safety: 'safe',
  reach: 'workspace',
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
    const { text, lines } = await applyEdits(original, edits);
    const written = await files.write(args.path, Buffer.from(text));
    const places = lines.length === 1 ? `at line ${lines[0]}` : `at lines ${lines.join(', ')}`;
    const edited = `Edited ${quoted(args.path)}`;
    const done = withFate(`${edited}: ${count(edits.length, 'replacement')}, ${places}.`, written);
    return { output: done + (await syntaxWarning(args.path, original, text)) };
  },
});

function editsOf({ old_text, new_text, edits = [] }: z.infer<typeof schema>): readonly TextEdit[] {
  if ((old_text === undefined) !== (new_text === undefined))
    throw new TellModel(`There is no ${old_text === undefined ? 'old_text' : 'new_text'}.`);
  const single = old_text === undefined || new_text === undefined ? [] : [{ old_text, new_text }];
  const all = [...single, ...edits];
  if (all.length > 0) return all;
  throw new TellModel('There is no edit: give old_text and new_text, or edits.');
}
