import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import { brief } from '../arguments.ts';
import { shownPath } from '../../lib/text/invisible.ts';

const MAX_WORDS = 80;

const schema = z.object({
  name: z.string().trim().optional().describe('A few words, such as days-in-durations'),
});

export const gitBranch = defineTool({
  name: 'git_branch',
  aliases: [],
  description:
    "Lists the branches. With a name, it names this session's branch, which is possible until the first commit.",
  arguments: schema,
  argumentAliases: { branch: 'name', branch_name: 'name' },
  safety: 'safe',
  worksOn: ['issues'],
  example: { name: 'days-in-durations' },
  rendering: { arguments: {}, output: 'plain' },
  title: ({ name }) =>
    name === undefined ? 'List the branches' : `Name the branch: ${brief(name)}`,
  run: async ({ name }, { forge, work }: Needs<'forge' | 'work'>) => {
    if (name === undefined) return { output: await list({ forge, work }) };
    const words = wordsIn(name, work.branch(''));
    const branch = work.branch(words);
    if (branch !== work.branch()) await assertNotPushed({ forge, work });
    return {
      output: `This session's branch is now ${branch}. Commits go there.`,
      effects: [{ type: 'branch', suffix: words }],
    };
  },
});

async function list({ forge, work }: Needs<'forge' | 'work'>): Promise<string> {
  const { names, hasMore } = await forge.branches();
  const own = work.branch();
  const ownLine = names.includes(own)
    ? `* ${own}`
    : `* ${own} (this session's branch; not pushed yet)`;
  const others = names.filter((name) => name !== own);
  const base = (name: string): string =>
    name === work.baseBranch() ? ' (the pull request goes here)' : '';
  const lines = [ownLine, ...others.map((name) => `  ${shownPath(name)}${base(name)}`)];
  if (hasMore) lines.push(`  (the first ${names.length} branches; there are more)`);
  return lines.join('\n');
}

async function assertNotPushed({ forge, work }: Needs<'forge' | 'work'>): Promise<void> {
  const branch = work.branch();
  if (work.hasCommits() || work.openPullRequest() !== undefined || (await forge.hasBranch(branch)))
    throw new TellModel(`The branch ${branch} is already pushed, so it cannot be renamed.`);
}

/**
 * The part of a name that follows the fixed prefix of sessions' branches. It begins with a letter, because
 * a number there counts the branches of a session.
 */
function wordsIn(name: string, prefix: string): string {
  const words = name.replace(/^refs\/heads\//, '').replace(prefix, '');
  const fault = faultOf(words);
  if (fault === undefined) return words;
  throw new TellModel(
    `${JSON.stringify(brief(name))} cannot name a branch: ${fault}. Give a few words, such as "days-in-durations"; they follow "${prefix}".`,
  );
}

/** Applies the rules of `git check-ref-format`, and two of ours. */
function faultOf(words: string): string | undefined {
  if (!/^\p{L}/u.test(words)) return 'it does not begin with a letter';
  if (words.length > MAX_WORDS) return `it is longer than ${MAX_WORDS} characters`;
  if (/[\p{C}\p{Z}~^:?*[\\]/u.test(words)) return 'it has a space, or one of ~ ^ : ? * [ \\';
  if (/\.\.|@\{|\/\/|\/\./.test(words)) return 'it has "..", "@{", "//" or "/."';
  if (/(?:\.lock)(?:\/|$)|[./]$/.test(words)) return 'a part of it ends in ".lock", "." or "/"';
  return undefined;
}
