import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { brief } from '../arguments.ts';
import type { Ports } from '../ports.ts';

const schema = z.object({
  path: z.string(),
});

export const deleteFile = ({ files }: Ports): Tool<typeof schema> => ({
  name: 'delete_file',
  aliases: ['remove_file'],
  description: 'Deletes a file. A directory is gone with the last file in it.',
  arguments: schema,
  argumentAliases: { file_path: 'path' },
  safety: 'safe',
  reach: 'workspace',
  example: { path: 'src/old.ts' },
  rendering: { arguments: { path: 'path' }, output: 'plain' },
  title: ({ path }) => `Delete ${brief(path)}`,
  run: async ({ path }) => {
    await files.delete(path);
    return { output: `Deleted ${JSON.stringify(path)}.` };
  },
});
