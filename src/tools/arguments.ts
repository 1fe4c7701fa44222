import { escapeUnseen } from '../lib/text/invisible.ts';
import { z } from 'zod';

/** A positive whole number. Models sometimes write numbers as strings. */
export const lineNumber = () =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value),
    z.int().min(1),
  );

/** As `lineNumber`; 0 is accepted as the first one. */
export const firstNumber = () =>
  z.preprocess((value) => (value === 0 || value === '0' ? 1 : value), lineNumber());

/** Yes or no, and no by default. Models sometimes write them as strings. The documents show the inner default. */
export const yesOrNo = () =>
  z
    .preprocess(
      (value) => (value === 'true' || value === 'false' ? value === 'true' : value),
      z.boolean().default(false),
    )
    .default(false);

/** A path from the repository root. One that names it as commands in the sandbox do loses that beginning. */
export const repositoryPath = (path: z.ZodString = z.string()) =>
  z.preprocess(fromRepositoryRoot, path);

/** As `repositoryPath`; the root by default. */
export const directoryPath = () =>
  z.preprocess(fromRepositoryRoot, z.string().default('.')).default('.');

const fromRepositoryRoot = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^\/workspace(?:\/+|$)/, '') : value;

/** What models write instead of `path` for a file. */
export const FILE_SYNONYMS = {
  file_path: 'path',
  filename: 'path',
  file: 'path',
  filepath: 'path',
  file_name: 'path',
  target_file: 'path',
} as const;

/** What models write instead of `path` for a directory. */
export const DIRECTORY_SYNONYMS = { directory: 'path', dir: 'path', dir_path: 'path' } as const;

/** A list; a single item is accepted as a list of one. */
export const listOf = <Item extends z.ZodType>(item: Item, max: number) =>
  z.preprocess(
    (value) => (Array.isArray(value) || value === undefined ? value : [value]),
    z.array(item).min(1).max(max),
  );

/** An argument that is accepted because models write it, but that no request spends words on. */
export const untold = <Value extends z.ZodType>(value: Value) =>
  value.optional().meta({ untold: true });

const MAX_TITLE = 80;

/** A text of the model for use in a title: one line, limited in length. */
export function brief(text: string): string {
  const line = escapeUnseen(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim());
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line;
}

/** "1 file", "2 files". */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;

/** An object within the arguments that accepts other names for some of its fields, but each field once. */
export const aliased = <Item extends z.ZodObject>(
  item: Item,
  aliases: Readonly<Record<string, keyof z.input<Item> & string>>,
) =>
  z.preprocess((value, context) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const fields = new Map<string, unknown>();
    for (const [key, field] of Object.entries(value)) {
      const name = (Object.hasOwn(aliases, key) ? aliases[key] : undefined) ?? key;
      if (fields.has(name))
        context.addIssue(`${name} is given twice, under two names: give it once`);
      fields.set(name, field);
    }
    return Object.fromEntries(fields);
  }, item);

/** A whole number of seconds from 1 to `most`; larger numbers become that. */
export const seconds = (most: number) =>
  z.preprocess((value) => {
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && number > most ? most : number;
  }, z.int().min(1).max(most));
