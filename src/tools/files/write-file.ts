import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel, unless } from '../../lib/errors.ts';
import { brief, count, FILE_SYNONYMS, repositoryPath } from '../arguments.ts';
import { syntaxWarning } from '../syntax/check.ts';
import { requireNoMark } from './edit-file.ts';
import { countLines, decodeText, withFate } from './text-file.ts';
import { quoted } from '../../lib/text/invisible.ts';

const schema = z.object({
  path: repositoryPath(),
  content: z.string(),
});

export const writeFile = defineTool({
  name: 'write_file',
  aliases: [],
  description: 'Creates a file, or replaces all of its content.',
  arguments: schema,
  argumentAliases: { ...FILE_SYNONYMS, contents: 'content', file_text: 'content', text: 'content' },
  safety: 'safe',
  reach: 'workspace',
  edits: ({ path }) => [path],
  example: { path: 'docs/GUIDE.md', content: '# Guide\n' },
  rendering: { arguments: { path: 'path', content: 'code' }, output: 'plain' },
  title: ({ path }) => `Write ${brief(path)}`,
  run: async ({ path, content }, { files, secrets }: Needs<'files' | 'secrets'>) => {
    const before = await unless(TellModel, files.read(path));
    const textBefore = before === undefined ? undefined : decodeText(before);
    await requireNoMark(content, textBefore, secrets);
    const bytes = Buffer.from(content);
    const written = await files.write(path, bytes);
    const { replaced } = written;
    const head = `${replaced ? 'Replaced' : 'Created'} ${quoted(path)}: ${sizeOf(content)}.`;
    const done = withFate(head, written);
    if (!replaced) return { output: done + (await syntaxWarning(path, undefined, content)) };
    const warning = textBefore === undefined ? '' : await syntaxWarning(path, textBefore, content);
    return { output: done + comparison(textBefore, content) + warning };
  },
});

const sizeOf = (text: string): string =>
  `${count(countLines(text), 'line')}, ${count(Buffer.byteLength(text), 'byte')}`;

function comparison(before: string | undefined, now: string): string {
  if (before === undefined) return ' The previous content was not text, or too large to compare.';
  if (before === now) return ' The content is the same as before: nothing changed.';
  return ` Previously it had ${sizeOf(before)}.${newLineEnds(before, now)}`;
}

/** A note about changed line ends; empty if they are unchanged or there are none. */
function newLineEnds(before: string, now: string): string {
  const [old, ends] = [before, now].map(lineEndOf);
  if (old === ends || old === undefined || ends === undefined) return '';
  return ` Its line ends changed from ${old} to ${ends}.`;
}

function lineEndOf(text: string): string | undefined {
  if (text.includes('\r\n')) return '"\\r\\n"';
  return text.includes('\n') ? '"\\n"' : undefined;
}
