import { z } from 'zod';
import { unlessItFails } from '../../lib/errors.ts';
import { compileSearchGlob } from '../../lib/glob.ts';
import { SETTINGS } from './fields.ts';

const MAX_INSTRUCTIONS = 10;
const MAX_PATH = 240;
const MAX_GLOBS = 50;

const PATH =
  'must be the path of a file from the root of the repository, such as "docs/GUIDE.md", without ".." or a leading "/" or "./"';

/** Files with instructions for the agent, in order. */
export const InstructionList = z
  .array(
    z.string(PATH).max(MAX_PATH, PATH).refine(isPlainPath, PATH),
    'must be a list of paths; an empty list, `[]`, means none',
  )
  .max(MAX_INSTRUCTIONS, `has more than ${MAX_INSTRUCTIONS} entries`)
  .transform((paths): readonly string[] => [...new Set(paths)]);

export function isPlainPath(path: string): boolean {
  if (/[\p{Cc}\p{Zl}\p{Zp}\\`]/u.test(path) || path !== path.trim()) return false;
  return path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

const GLOB =
  'must be a path or glob from the root of the repository, such as "src/**", without ".." or "!"';

export const GlobList = z
  .array(
    z.string(GLOB).max(MAX_PATH, GLOB).refine(isGlob, GLOB),
    'must be a list of paths or globs, such as "src/**"',
  )
  .max(MAX_GLOBS, `has more than ${MAX_GLOBS} entries`);

function isGlob(glob: string): boolean {
  const path = glob.replaceAll('\\', '').replaceAll(/^\/|\/$/g, '');
  if (!isPlainPath(path) || glob.startsWith('!')) return false;
  return unlessItFails(() => compileSearchGlob(glob)) !== undefined;
}

export const Paths = z.strictObject(
  {
    allow: GlobList.optional().describe(
      'Globs of the files the agent may write; all files if omitted',
    ),
    deny: GlobList.optional().describe(
      'Globs of files the agent may not read, write, list or search',
    ),
  },
  SETTINGS,
);
