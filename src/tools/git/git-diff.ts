import { z } from 'zod';
import { defineTool, type Needs, type Ports } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import { isWithin } from '../../lib/glob.ts';
import { brief, repositoryPath } from '../arguments.ts';
import { MAX_PATH, placeOf } from './changed-files.ts';
import { diffText } from './diffs.ts';
import type { FileDiff } from '../../contracts/git.ts';
import { quoted } from '../../lib/text/invisible.ts';

const UNCOMMITTED = 'uncommitted';
const STAGED = 'staged';
const BRANCH = 'branch';

const schema = z.object({
  path: repositoryPath(z.string().max(MAX_PATH)).optional().describe('Only this file or directory'),
  of: z
    .string()
    .trim()
    .optional()
    .describe(
      'uncommitted (the default), staged (what the next commit includes), branch (all commits of the branch), or the sha of one commit',
    ),
});

export const gitDiff = defineTool({
  name: 'git_diff',
  aliases: [],
  description: 'Shows uncommitted changes, or the changes of commits, as a unified diff.',
  arguments: schema,
  argumentAliases: { file: 'path', commit: 'of' },
  safety: 'safe',
  changesNothing: () => true,
  example: { path: 'src' },
  rendering: { arguments: { path: 'path' }, output: 'diff' },
  title: ({ path = '', of = UNCOMMITTED }) => {
    const what = [UNCOMMITTED, STAGED].includes(of) ? `${of} changes` : `the diff of ${brief(of)}`;
    return `Show ${what}${path === '' ? '' : ` in ${brief(path)}`}`;
  },
  run: async ({ path = '', of = UNCOMMITTED }, ports: Needs<'git' | 'forge' | 'work'>) => {
    const place = placeOf(path);
    const files =
      of === UNCOMMITTED || of === STAGED
        ? await uncommitted(ports, of, place)
        : (await committed(ports.forge, of)).filter((file) => touches(file, place));
    if (files.length > 0) return { output: diffText(files) };
    return { output: `No changes${place === '' ? '' : ` in ${quoted(place)}`}.` };
  },
});

const touches = ({ path, from = path }: FileDiff, place: string): boolean =>
  isWithin(path, place) || isWithin(from, place);

async function uncommitted(
  { git, work }: Needs<'git' | 'work'>,
  of: typeof UNCOMMITTED | typeof STAGED,
  place: string,
): Promise<readonly FileDiff[]> {
  const all = await git.diff(place);
  const staged = of === STAGED ? work.stagedPaths() : undefined;
  return staged === undefined ? all : all.filter(({ path }) => staged.includes(path));
}

async function committed(forge: Ports['forge'], of: string): Promise<readonly FileDiff[]> {
  if (of === BRANCH) return (await forge.branchChange()).files;
  if (/^[0-9a-f]{7,40}$/i.test(of)) return forge.commitDiff(of);
  throw new TellModel(
    `"of" is ${JSON.stringify(brief(of))}: give "uncommitted", "staged", "branch", or the sha of a commit (7 to 40 hexadecimal digits).`,
  );
}
