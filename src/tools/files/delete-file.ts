import { z } from 'zod';
import { withFate } from './text-file.ts';
import { defineTool, type Needs } from '../define-tool.ts';
import { brief, FILE_SYNONYMS, repositoryPath } from '../arguments.ts';
import { quoted } from '../../lib/text/invisible.ts';

const schema = z.object({
  path: repositoryPath(),
});

export const deleteFile = defineTool({
  name: 'delete_file',
  aliases: ['remove_file'],
  description: 'Deletes a file or a link.',
  arguments: schema,
  argumentAliases: FILE_SYNONYMS,
  safety: 'safe',
  reach: 'workspace',
  edits: ({ path }) => [path],
  example: { path: 'src/old.ts' },
  rendering: { arguments: { path: 'path' }, output: 'plain' },
  title: ({ path }) => `Delete ${brief(path)}`,
  run: async ({ path }, { files }: Needs<'files'>) => {
    const done = await files.delete(path);
    return { output: withFate(`Deleted ${quoted(path)}.`, done) };
  },
});
