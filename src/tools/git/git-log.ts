import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { withoutInvisible, quoted } from '../../lib/text/invisible.ts';
import { brief, lineNumber } from '../arguments.ts';
import { MAX_PATH, placeOf } from './changed-files.ts';
import type { LoggedCommit } from '../../contracts/forge.ts';

const MAX_COMMITS = 50;
const DEFAULT_COMMITS = 10;
const MAX_MESSAGE = 1500;

const schema = z.object({
  path: z
    .string()
    .max(MAX_PATH)
    .optional()
    .describe('Only commits that changed this file or directory'),
  limit: lineNumber().optional().describe(`${DEFAULT_COMMITS} by default, ${MAX_COMMITS} at most`),
});

export const gitLog = defineTool({
  name: 'git_log',
  aliases: [],
  description: 'Lists the commits of this branch, newest first.',
  arguments: schema,
  argumentAliases: { file: 'path', max_count: 'limit', count: 'limit', n: 'limit' },
  safety: 'safe',
  changesNothing: () => true,
  example: { path: 'src/main.ts', limit: 5 },
  rendering: { arguments: { path: 'path' }, output: 'plain' },
  title: ({ path = '' }) => `Read the history${path === '' ? '' : ` of ${brief(path)}`}`,
  run: async ({ path = '', limit: asked = DEFAULT_COMMITS }, { forge }: Needs<'forge'>) => {
    const place = placeOf(path);
    const limit = Math.min(asked, MAX_COMMITS);
    const commits = await forge.log(place === '' ? { limit } : { path: place, limit });
    if (commits.length === 0)
      return { output: `No commit has changed ${quoted(place)} on this branch.` };
    return { output: commits.map(describe).join('\n\n') };
  },
});

/** As `git log` shows it, but without email addresses, which the model does not need. */
function describe({ sha, author, at, message }: LoggedCommit): string {
  const text = cutCharacters(withoutInvisible(message).trim(), MAX_MESSAGE, '… (cut)');
  return [
    `commit ${sha}`,
    `Author: ${brief(withoutInvisible(author))}`,
    `Date:   ${brief(at)}`,
    '',
    ...text.split('\n').map((line) => `    ${line}`),
  ].join('\n');
}
