// What `setup` installs and later sessions are to find.
import { z } from 'zod';
import { isPlainPath } from './paths.ts';

const MAX_PATHS = 10;
const MAX_PATH = 240;
const HOME = '~/';

const PATHS =
  'must be a list of directories, such as "node_modules", or "~/.cache/pip" in the home directory of commands';
const PATH =
  'must be a directory of the repository, such as "node_modules", or of the home directory of commands, such as "~/.cache/pip", without "..", "*" or a leading "/" or "./"';
const NESTED = 'is inside another path of the list: name only the outer one';
const OF_GIT = "is git's own";
const KEYS = 'must be a list of files, such as "package-lock.json"';
const KEY =
  'must be the path of a file from the root of the repository, such as "package-lock.json", without "..", "*" or a leading "/", "./" or "~/"';

const isPath = (path: string): boolean => isPlainPath(path) && !/[*?[\]{}]/.test(path);
const isOfGit = (path: string): boolean =>
  path.split('/').some((name) => name.normalize('NFKC').toLowerCase() === '.git');

const below = (path: string): string => (path.startsWith(HOME) ? path.slice(HOME.length) : path);

const Path = z
  .string(PATH)
  .transform((path) => path.replace(/\/$/, ''))
  .refine((path) => path.length <= MAX_PATH && isPath(below(path)) && !/^~\/?$/.test(path), PATH)
  .refine((path) => !isOfGit(path), OF_GIT);

const KeyFile = z
  .string(KEY)
  .max(MAX_PATH, KEY)
  .refine((path) => isPath(path) && !path.startsWith('~'), KEY)
  .refine((path) => !isOfGit(path), OF_GIT);

const atLeastOne = <Item extends z.ZodType>(item: Item, error: string) =>
  z.array(item, error).min(1, error).max(MAX_PATHS, `has more than ${MAX_PATHS} entries`);

export const Cache = z.strictObject(
  {
    paths: atLeastOne(Path, PATHS)
      .superRefine((paths, context) => {
        for (const [at, path] of paths.entries())
          if (paths.some((other, place) => place !== at && `${path}/`.startsWith(`${other}/`)))
            context.addIssue({ code: 'custom', path: [at], message: NESTED });
      })
      .describe(
        'Directories that `setup` makes, such as `node_modules`, or `~/.cache/pip` in the home directory of commands',
      ),
    key: atLeastOne(KeyFile, KEYS).describe(
      'Files that decide what `setup` installs, such as `package-lock.json`: if one differs, nothing kept is used',
    ),
  },
  'must contain `paths` and `key`',
);

export type CacheSettings = z.infer<typeof Cache>;
