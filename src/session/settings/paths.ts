import { z } from 'zod';
import { compileSearchGlob } from '../../lib/glob.ts';
import { SETTINGS } from './fields.ts';

const MAX_INSTRUCTIONS = 10;
const MAX_PATH = 240;
const MAX_GLOBS = 50;

const PATH =
  'has to be the path of a file from the root of the repository, such as "docs/GUIDE.md"; no "..", no leading "/" or "./"';

/** Files with instructions for the agent, in the order in which it reads them. */
export const InstructionList = z
  .array(
    z.string(PATH).max(MAX_PATH, PATH).refine(isPlainPath, PATH),
    'has to be a list of paths; an empty list, `[]`, switches them off',
  )
  .max(MAX_INSTRUCTIONS, `has more than ${MAX_INSTRUCTIONS} entries`)
  .transform((paths): readonly string[] => [...new Set(paths)]);

function isPlainPath(path: string): boolean {
  if (/[\p{Cc}\p{Zl}\p{Zp}\\`]/u.test(path) || path !== path.trim()) return false;
  return path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

const GLOB =
  'has to be a path or glob from the root of the repository, such as "src/**"; no "..", no "!"';

const GlobList = z
  .array(
    z.string(GLOB).max(MAX_PATH, GLOB).refine(isGlob, GLOB),
    'has to be a list of paths or globs, such as "src/**"',
  )
  .max(MAX_GLOBS, `has more than ${MAX_GLOBS} entries`);

function isGlob(glob: string): boolean {
  const path = glob.replaceAll('\\', '').replaceAll(/^\/|\/$/g, '');
  if (!isPlainPath(path) || glob.startsWith('!')) return false;
  try {
    return Boolean(compileSearchGlob(glob));
  } catch {
    return false;
  }
}

export const Paths = z.strictObject(
  {
    allow: GlobList.optional().describe(
      'Globs of the only files that may be written; else all may',
    ),
    deny: GlobList.optional().describe(
      'Globs of files that are neither read nor written, listed or found',
    ),
  },
  SETTINGS,
);
