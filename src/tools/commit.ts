import { z } from 'zod';
import type { Tool } from '../agent/tool.ts';
import type { Effect } from '../session/entry.ts';
import { brief, count } from './arguments.ts';
import type { CommitDone, Ports } from './ports.ts';

const MAX_SHOWN_FILES = 50;

const schema = z.object({
  message: z.string().trim().min(1).max(10_000).describe('A short first line, then why'),
});

export const commit = ({ git }: Ports): Tool<Effect, typeof schema> => ({
  name: 'commit',
  aliases: ['git_commit'],
  description: 'Commits all changed files and pushes them to the branch of this session.',
  arguments: schema,
  argumentAliases: { commit_message: 'message' },
  safety: 'safe',
  title: ({ message }) => `Commit: ${brief(message.split('\n', 1)[0] ?? '')}`,
  run: async ({ message }, { startedAt }) => {
    const done = await git.commit({ message, at: startedAt });
    if (done === undefined) return { output: 'Nothing has changed since the last commit.' };
    return { output: describe(done), effects: [commitEffect(done, message)] };
  },
});

export const commitEffect = ({ sha, files }: CommitDone, message: string): Effect => ({
  type: 'commit',
  sha,
  message,
  files,
});

function describe({ sha, files }: CommitDone): string {
  const lines = files.slice(0, MAX_SHOWN_FILES).map(({ path, status }) => `${status} ${path}`);
  if (files.length > MAX_SHOWN_FILES) lines.push(`and ${files.length - MAX_SHOWN_FILES} more`);
  const head = `Committed and pushed ${sha.slice(0, 10)} with ${count(files.length, 'file')}:`;
  return [head, ...lines].join('\n');
}
