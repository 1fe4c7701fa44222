import { z } from 'zod';
import type { Tool } from '../agent/tool.ts';
import type { Effect } from '../session/entry.ts';
import { brief } from './arguments.ts';
import type { Ports } from './ports.ts';

const schema = z.object({
  path: z.string().describe('From the root of the repository, like "src/main.ts"'),
  content: z.string().describe('The whole new content of the file'),
});

export const writeFile = ({ files }: Ports): Tool<Effect, typeof schema> => ({
  name: 'write_file',
  aliases: [],
  description:
    'Creates a file, or replaces its whole content. To change a part of a file use edit_file.',
  arguments: schema,
  argumentAliases: { file_path: 'path' },
  safety: 'safe',
  title: ({ path }) => `Write ${brief(path)}`,
  run: async ({ path, content }) => {
    const bytes = Buffer.from(content);
    const { replaced } = await files.write(path, bytes);
    const done = replaced ? 'Replaced' : 'Created';
    return { output: `${done} ${JSON.stringify(path)}, ${bytes.byteLength} bytes.` };
  },
});
