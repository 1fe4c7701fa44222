import { shownPath } from '../../lib/invisible.ts';
import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { brief, count } from '../arguments.ts';
import { numbered } from '../files/text-file.ts';
import type { Answer } from '../../contracts/search.ts';

const MAX_FILES = 8;
const MAX_PASSAGES = 2;
const PASSAGE_LINES = 10;

const schema = z.object({
  query: z.string().trim().min(1).max(1000).describe('A question, or words and symbols'),
  path: z.string().default('.').describe('A directory'),
  glob: z.string().max(500).optional().describe('Only these files, such as *.ts'),
});

export const searchCodebase = defineTool({
  name: 'search_codebase',
  aliases: ['codebase_search'],
  description: `Finds up to ${MAX_FILES} files that are relevant to a question, best first, with their most relevant lines.`,
  arguments: schema,
  argumentAliases: { question: 'query', pattern: 'query', directory: 'path' },
  safety: 'safe',
  changesNothing: () => true,
  example: { query: 'Where is the body of a request limited?' },
  rendering: { arguments: { query: 'plain', path: 'path' }, output: 'code' },
  title: ({ query }) => `Search the code: ${brief(query)}`,
  run: async ({ query, path, glob }, { search }: Needs<'search'>, { signal }) => {
    const question = {
      text: query,
      paths: [path],
      glob,
      maxFiles: MAX_FILES,
      maxPassages: MAX_PASSAGES,
      span: PASSAGE_LINES,
    };
    return { output: report(await search.rank(question, signal)) };
  },
});

function report({ files, indexed, left }: Answer): string {
  const shown = files.map(({ path, passages }) => {
    const inOrder = passages.toSorted((one, other) => one.start - other.start);
    return [shownPath(path), ...inOrder.map(({ start, lines }) => numbered(lines, start))].join(
      '\n',
    );
  });
  if (shown.length === 0)
    shown.push(
      `None of these words occurs in ${count(indexed, 'file')}. Try other words, or use grep_search.`,
    );
  if (left > 0) shown.push(`(${count(left, 'file')} not searched: there are too many)`);
  return shown.join('\n\n');
}
