// The directories of a huge repository that a workspace has.
import { z } from 'zod';
import { isPlainPath } from './paths.ts';

const MAX_DIRECTORIES = 50;
const MAX_PATH = 240;

const LIST = 'must be a list of directories, such as "services/billing"';
const DIRECTORY =
  'must be a directory of the repository, such as "services/billing", without "..", "*" or a leading "/" or "./"';

export const Sparse = z
  .array(
    z
      .string(DIRECTORY)
      .transform((path) => path.replace(/\/$/, ''))
      .refine(
        (path) => path.length <= MAX_PATH && isPlainPath(path) && !/[*?[\]{}]/.test(path),
        DIRECTORY,
      ),
    LIST,
  )
  .min(1, LIST)
  .max(MAX_DIRECTORIES, `has more than ${MAX_DIRECTORIES} entries`)
  .transform((paths): readonly string[] => [...new Set(paths)]);
