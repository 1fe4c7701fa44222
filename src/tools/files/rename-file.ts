import { z } from 'zod';
import { withFate } from './text-file.ts';
import { defineTool, type Needs } from '../define-tool.ts';
import { brief, count, repositoryPath } from '../arguments.ts';
import { quoted } from '../../lib/text/invisible.ts';

const schema = z.object({
  path: repositoryPath(),
  new_path: repositoryPath(),
});

export const renameFile = defineTool({
  name: 'rename_file',
  aliases: ['move_file'],
  description: 'Moves a file or directory to a path that does not exist.',
  arguments: schema,
  argumentAliases: {
    old_path: 'path',
    source: 'path',
    from: 'path',
    destination: 'new_path',
    to: 'new_path',
  },
  safety: 'safe',
  reach: 'workspace',
  edits: ({ path, new_path: to }) => [path, to],
  example: { path: 'src/old.ts', new_path: 'lib/new.ts' },
  rendering: { arguments: { path: 'path', new_path: 'path' }, output: 'plain' },
  title: ({ path, new_path }) => `Rename ${brief(path)} to ${brief(new_path)}`,
  run: async ({ path, new_path }, { files }: Needs<'files'>) => {
    const done = await files.rename([{ from: path, to: new_path }]);
    const many = done.files === 1 ? '' : `: ${count(done.files, 'file')}`;
    const renamed = `Renamed ${quoted(path)} to ${quoted(new_path)}${many}.`;
    return { output: withFate(renamed, done) };
  },
});
