import { posix } from 'node:path';
import { parse } from 'yaml';
import { notShown } from '../../../agent/prompts/notices.ts';
import { skillsSection } from '../../../agent/prompts/system.ts';
import type { DirectoryEntry, FileLister, Skills } from '../../../contracts/files.ts';
import { TellModel, unless } from '../../../lib/errors.ts';
import { followLinks, LinkFault, type LinkAt } from '../../../lib/target-of.ts';
import { quoted, withoutInvisible } from '../../../lib/text/invisible.ts';
import { cutCharacters } from '../../../lib/text/text.ts';
import {
  MAX_BYTES,
  readInstruction,
  shownInstructions,
  type InstructionFile,
  type InstructionSource,
} from './repository-instructions.ts';

/** Where repositories keep skills: a folder for each, with this file. Of two of one name, the first counts. */
const ROOTS = ['.github/skills', '.agents/skills', '.claude/skills'];
const FILE = 'SKILL.md';
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const MOST = 20;
/** Folders that are looked into: few of them may hold a skill. */
const MOST_FOLDERS = 200;
const MAX_DESCRIPTION = 300;
const MAX_HEAD = 4_000;

export interface FoundSkills extends Skills {
  readonly count: number;
  /** The section of the system prompt that lists them; empty if there are none. */
  readonly section: string;
}

/**
 * The skills of a repository. Whether there are any is looked up in the workspace, which costs no request and closes
 * what the settings deny; what they say comes from the default branch.
 * @throws {TryLater} when GitHub cannot be asked
 */
export async function findSkills(
  files: FileLister,
  source: InstructionSource,
): Promise<FoundSkills> {
  const places = [...(await placesOf(files))];
  const read = await Promise.all(
    places.slice(0, MOST).map(async ([name, { path, fault }]) => ({
      name,
      file: fault === undefined ? await readInstruction(source, path) : { path, text: fault },
    })),
  );
  const skills = new Map(
    read.flatMap(({ name, file }) => (file === undefined ? [] : [[name, file] as const])),
  );
  const list = [...skills].map(([name, file]) => ({ name, description: descriptionOf(file) }));
  return {
    count: skills.size,
    section: skillsSection(
      list,
      places.slice(MOST).map(([, { path }]) => path),
    ),
    read: (name) => skillText(skills, name),
  };
}

interface SkillPlace {
  readonly path: string;
  /** Why it cannot be read. */
  readonly fault?: string;
}

/** Where each skill's file is, by the skill's name. Links within the repository are followed. */
async function placesOf(files: FileLister): Promise<ReadonlyMap<string, SkillPlace>> {
  const places = new Map<string, SkillPlace>();
  let folders = 0;
  for (const root of ROOTS) {
    const { path: real } = await placeOf(files, root);
    for (const { name, kind } of await entriesOf(files, real)) {
      const isFolder = kind === 'directory' || kind === 'symlink';
      if (!isFolder || places.has(name) || !NAME.test(name)) continue;
      folders += 1;
      if (folders > MOST_FOLDERS) return places;
      const own = `${real}/${name}`;
      const { path, fault } = kind === 'symlink' ? await placeOf(files, own) : { path: own };
      const inside = fault === undefined ? await entriesOf(files, path) : [];
      if (inside.some((each) => each.name === FILE && each.kind !== 'directory'))
        places.set(name, { path: `${path}/${FILE}` });
      else if (fault !== undefined) places.set(name, { path, fault });
    }
  }
  return places;
}

/** Where a folder is once the links on its path are followed. */
async function placeOf(files: FileLister, path: string): Promise<SkillPlace> {
  const linkAt: LinkAt = async (link) => {
    const entries = await entriesOf(files, posix.dirname(link));
    const entry = entries.find(({ name }) => name === posix.basename(link));
    if (entry === undefined) return 'nothing';
    return entry.target === undefined ? 'no link' : { target: entry.target };
  };
  try {
    return { path: (await followLinks(path, linkAt)) ?? path };
  } catch (error) {
    if (!(error instanceof LinkFault)) throw error;
    return { path, fault: notShown(error.message) };
  }
}

/** Empty if there is no such folder, or the settings deny it. */
const entriesOf = async (files: FileLister, path: string): Promise<readonly DirectoryEntry[]> =>
  (await unless(TellModel, files.list(path))) ?? [];

function skillText(skills: ReadonlyMap<string, InstructionFile>, name: string): string {
  const file = skills.get(name);
  if (file !== undefined)
    return `From \`${file.path}\` on the default branch; files that it names are in its folder.\n\n${shownInstructions(file, MAX_BYTES)}`;
  const names = [...skills.keys()].map((one) => `\`${one}\``).join(', ');
  throw new TellModel(`There is no skill ${quoted(name)}. Skills of this repository: ${names}.`);
}

/** Of the head below a line of dashes, which is YAML, or was meant to be: many forget to quote a colon. */
function descriptionOf({ text }: InstructionFile): string {
  const head = headOf(text.slice(0, MAX_HEAD));
  const { description } = fieldsOf(head);
  const [, line = ''] = /^description:[ \t]*([\p{L}\p{N}].*)$/mu.exec(head) ?? [];
  const words = withoutInvisible(typeof description === 'string' ? description : line);
  return cutCharacters(words.replaceAll(/\s+/g, ' ').trim(), MAX_DESCRIPTION, '…');
}

/** Up to the line that ends it, if there is one. */
function headOf(text: string): string {
  const [first = '', ...lines] = text.split('\n');
  if (first.trimEnd() !== '---') return '';
  const end = lines.findIndex((line) => /^(?:---|\.\.\.)\s*$/.test(line));
  return lines.slice(0, end === -1 ? lines.length : end).join('\n');
}

function fieldsOf(head: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = parse(head, { maxAliasCount: 0, logLevel: 'silent' });
    return typeof fields === 'object' && fields !== null ? { ...fields } : {};
  } catch {
    return {};
  }
}
