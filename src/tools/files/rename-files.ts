import { z } from 'zod';
import { withFate } from './text-file.ts';
import { defineTool, type Needs } from '../define-tool.ts';
import { aliased, count, listOf, repositoryPath } from '../arguments.ts';

const MAX_RENAMES = 200;

const rename = aliased(z.strictObject({ path: repositoryPath(), new_path: repositoryPath() }), {
  old_path: 'path',
  source: 'path',
  from: 'path',
  destination: 'new_path',
  to: 'new_path',
});

const schema = z.object({
  renames: listOf(rename, MAX_RENAMES),
});

export const renameFiles = defineTool({
  name: 'rename_files',
  aliases: ['move_files'],
  description:
    'Moves files or directories to new paths at once, all or none. Two may swap their paths.',
  arguments: schema,
  argumentAliases: { files: 'renames', moves: 'renames' },
  safety: 'safe',
  reach: 'workspace',
  edits: ({ renames }) => renames.flatMap(({ path, new_path: to }) => [path, to]),
  example: { renames: [{ path: 'a.ts', new_path: 'lib/a.ts' }] },
  rendering: { arguments: { renames: 'path' }, output: 'plain' },
  title: ({ renames }) => `Rename ${count(renames.length, 'path')}`,
  run: async ({ renames }, { files }: Needs<'files'>) => {
    const moves = renames.map(({ path, new_path }) => ({ from: path, to: new_path }));
    const done = await files.rename(moves);
    return { output: withFate(`Renamed ${count(done.files, 'file')}.`, done) };
  },
});
