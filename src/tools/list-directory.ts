import { z } from 'zod';
import type { Tool } from '../agent/tool.ts';
import type { Effect } from '../session/entry.ts';
import { brief } from './arguments.ts';
import type { DirectoryEntry, Ports } from './ports.ts';

const MAX_ENTRIES = 1000;

const schema = z.object({
  path: z.string().default('.').describe('From the root of the repository; "." is the root'),
});

export const listDirectory = ({ files }: Ports): Tool<Effect, typeof schema> => ({
  name: 'list_directory',
  aliases: ['list_files'],
  description: 'Lists what is in a directory: directories end in "/", files come with their size.',
  arguments: schema,
  argumentAliases: { directory: 'path', dir_path: 'path' },
  safety: 'safe',
  title: ({ path }) => `List ${path === '.' ? 'the root' : brief(path)}`,
  run: async ({ path }) => {
    const entries = await files.list(path);
    if (entries.length === 0) return { output: 'The directory is empty.' };
    const lines = entries.slice(0, MAX_ENTRIES).map(describe);
    if (entries.length > MAX_ENTRIES)
      lines.push(`(the first ${MAX_ENTRIES} of ${entries.length} entries)`);
    return { output: lines.join('\n') };
  },
});

function describe({ name, kind, size }: DirectoryEntry): string {
  if (kind === 'directory') return `${name}/`;
  return kind === 'file' ? `${name} (${size} bytes)` : `${name} (${kind})`;
}
