import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { brief, count } from '../arguments.ts';
import { listChanges, changesAt, pathList, placeOf } from './changed-files.ts';
import type { FoundChange } from '../../contracts/git.ts';

const schema = z.object({
  paths: pathList().describe('Files or directories; . for all changes'),
});

export const gitAdd = defineTool({
  name: 'git_add',
  aliases: [],
  description:
    'Chooses the changes for the next commit. Without a choice, it includes all changes.',
  arguments: schema,
  argumentAliases: { files: 'paths', path: 'paths' },
  safety: 'safe',
  example: { paths: ['src/main.ts'] },
  rendering: { arguments: { paths: 'path' }, output: 'plain' },
  title: ({ paths }) => `Stage ${brief(paths.join(', '))}`,
  run: async ({ paths }, { git, work }: Needs<'git' | 'work'>) => {
    const places = paths.map(placeOf);
    if (places.includes(''))
      return {
        output: 'The next commit includes all changes.',
        effects: [{ type: 'staged', paths: null }],
      };
    const changes = await git.changes();
    const chosen = places.flatMap((place) => changesAt(changes, place).map(({ path }) => path));
    await git.includeMade(chosen);
    const staged = new Set([...(work.stagedPaths() ?? []), ...chosen]);
    const taken = changes.filter(({ path }) => staged.has(path));
    return {
      output: describe(taken, changes.length - taken.length),
      effects: [{ type: 'staged', paths: taken.map(({ path }) => path) }],
    };
  },
});

function describe(taken: readonly FoundChange[], left: number): string {
  const rest =
    left === 0
      ? 'Nothing is left out.'
      : `${count(left, 'changed file')} left out: a later commit or finish will include them.`;
  return [
    `The next commit includes ${count(taken.length, 'file')}:`,
    ...listChanges(taken),
    rest,
  ].join('\n');
}
