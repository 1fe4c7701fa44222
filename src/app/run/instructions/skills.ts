import { parse } from 'yaml';
import { skillsSection } from '../../../agent/prompts/system.ts';
import type { Files } from '../../../contracts/files.ts';
import type { Skills } from '../../../contracts/skills.ts';
import { TellModel } from '../../../lib/errors.ts';
import { quoted } from '../../../lib/invisible.ts';
import { cutCharacters } from '../../../lib/text.ts';
import {
  MAX_BYTES,
  readInstructions,
  shown,
  type InstructionFile,
  type InstructionSource,
} from './repository-instructions.ts';

/** Where repositories keep skills: a folder for each, with this file. Of two of one name, the first counts. */
const ROOTS = ['.github/skills', '.agents/skills', '.claude/skills'];
const FILE = 'SKILL.md';
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const MOST = 20;
const MAX_DESCRIPTION = 300;
const MAX_HEAD = 4_000;

export interface FoundSkills extends Skills {
  readonly count: number;
  /** The section of the system prompt that lists them; empty if there are none. */
  readonly section: string;
}

/**
 * The skills of a repository. Whether there are any is looked up in the workspace, which costs no request; what they
 * say comes from the default branch.
 * @throws {TryLater} when GitHub cannot be asked
 */
export async function findSkills(
  files: Pick<Files, 'list'>,
  source: InstructionSource,
): Promise<FoundSkills> {
  const places = new Map<string, string>();
  for (const root of ROOTS)
    for (const name of await foldersIn(files, root))
      if (!places.has(name) && places.size < MOST) places.set(name, `${root}/${name}/${FILE}`);
  const texts = await readInstructions(source, [...places.values()]);
  const skills = new Map(
    [...places].flatMap(([name, path]) => {
      const file = texts.find((one) => one.path === path);
      return file === undefined ? [] : [[name, file] as const];
    }),
  );
  const list = [...skills].map(([name, file]) => ({ name, description: descriptionOf(file) }));
  return {
    count: skills.size,
    section: skillsSection(list),
    read: (name) => textOf(skills, name),
  };
}

async function foldersIn(files: Pick<Files, 'list'>, root: string): Promise<readonly string[]> {
  try {
    const entries = await files.list(root);
    return entries
      .filter(({ name, kind }) => kind === 'directory' && NAME.test(name))
      .map(({ name }) => name)
      .toSorted();
  } catch (error) {
    // There is no such folder.
    if (error instanceof TellModel) return [];
    throw error;
  }
}

function textOf(skills: ReadonlyMap<string, InstructionFile>, name: string): string {
  const file = skills.get(name);
  if (file !== undefined)
    return `From \`${file.path}\` on the default branch; files that it names are in its folder.\n\n${shown(file, MAX_BYTES)}`;
  const names = [...skills.keys()].map((one) => `\`${one}\``).join(', ');
  throw new TellModel(`There is no skill ${quoted(name)}. Skills of this repository: ${names}.`);
}

/** Of the head between two lines of dashes, which is YAML. */
function descriptionOf({ text }: InstructionFile): string {
  const [, head = ''] = /^---\n([^]*?)\n---(?:\n|$)/.exec(text.slice(0, MAX_HEAD)) ?? [];
  const { description } = fieldsOf(head);
  const line = typeof description === 'string' ? description.replaceAll(/\s+/g, ' ').trim() : '';
  return cutCharacters(line, MAX_DESCRIPTION, '…');
}

function fieldsOf(head: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = parse(head, { maxAliasCount: 0, logLevel: 'silent' });
    return typeof fields === 'object' && fields !== null ? { ...fields } : {};
  } catch {
    return {};
  }
}
