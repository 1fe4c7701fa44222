// The change that the scripted model makes: one line of a file that the repository has.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { git, gitBytes } from '../../packages/local-github/src/github/git/git.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import { textFiles } from './repository.ts';

export interface Edit {
  readonly path: string;
  readonly content: Buffer;
  /** Occurs once. */
  readonly line: string;
}

const ADDED = '// The bench was here.';
const MOST_TRIED = 200;
/** Files that steer agents are not an agent's to change. */
const STEERS = /agent|claude|gemini|copilot|cursor|skill|rules/i;

/** @throws {Error} if no file of `main` has a line of text that occurs once */
export async function editIn(directory: string): Promise<Edit> {
  const files = (await textFiles(directory)).filter((name) => !STEERS.test(name));
  for (const name of files.slice(0, MOST_TRIED)) {
    const content = await gitBytes(directory, ['cat-file', 'blob', `main:${name}`]);
    const text = content.toString();
    if (!Buffer.from(text).equals(content)) continue;
    const line = text.split('\n').find((each) => isPlain(each) && isOnce(text, each));
    if (line !== undefined) return { path: name, content, line };
  }
  throw new Error('No file of the repository has a line that occurs once.');
}

const isPlain = (line: string): boolean => /^[\t -~]{8,200}$/.test(line) && line.trim() !== '';
const isOnce = (text: string, part: string): boolean =>
  text.indexOf(part) === text.lastIndexOf(part);

const changed = (text: string, { line }: Edit): string =>
  text.replace(line, () => `${line}\n${ADDED}`);

const say = (plan: string, tool_name: string, given: Record<string, unknown>) => ({
  say: { plan, tool_calls: [{ tool_name, arguments: given }] },
});

/** A model that makes the edit, in four turns without a pause. */
export function scriptOf({ path: name, line }: Edit): Script {
  const given = { path: name, old_text: line, new_text: `${line}\n${ADDED}` };
  return {
    turns: [
      say('I read the file.', 'read_file', { path: name }),
      say('I add the line.', 'edit_file', given),
      say('I read it again.', 'read_file', { path: name }),
      say('That is all.', 'finish', { summary: 'The file has one more line.', outcome: 'done' }),
    ],
  };
}

/** Whether a branch differs from `main` by the edit alone: its diff has the bytes of one that git makes of the same. */
export async function hasOnlyEdit(directory: string, branch: string, edit: Edit): Promise<boolean> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-index-'));
  try {
    const environment = { GIT_INDEX_FILE: path.join(scratch, 'index') };
    const before = await gitBytes(directory, ['cat-file', 'blob', `main:${edit.path}`]);
    const input = changed(before.toString(), edit);
    const oid = (await git(directory, ['hash-object', '-w', '--stdin'], { input })).trim();
    await git(directory, ['read-tree', 'main'], { environment });
    const entry = `100644,${oid},${edit.path}`;
    await git(directory, ['update-index', '--cacheinfo', entry], { environment });
    const tree = (await git(directory, ['write-tree'], { environment })).trim();
    const wanted = await gitBytes(directory, ['diff', '--binary', 'main', tree]);
    const range = `main...refs/heads/${branch}`;
    return wanted.equals(await gitBytes(directory, ['diff', '--binary', range]));
  } finally {
    await rm(scratch, { recursive: true });
  }
}
