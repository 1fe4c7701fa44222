import { z } from 'zod';
import { NOT_FOR_COMMANDS, variableKind } from '../../lib/command-variables.ts';
import { hasCredential } from '../../lib/text/redact.ts';
import { isPlainPath } from './fields.ts';

const MAX_COMMAND = 1_000;
const MAX_ALLOWED = 50;
const MAX_SETUP = 10;

const COMMAND = 'must be a command on one line, such as "npm test"';
const COMMANDS = 'must be a command on one line, or a list of such commands';

const command = (error: string) =>
  z
    .string(error)
    .trim()
    .min(1, error)
    .max(MAX_COMMAND, `is longer than ${MAX_COMMAND} characters`)
    .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), error);

/** The command that runs a repository's tests. */
export const TestCommand = command(COMMAND)
  .optional()
  .describe('Test command; auto-detected if omitted');

export const SetupCommands = z
  .union(
    [
      command(COMMANDS).transform((one): readonly string[] => [one]),
      z
        .array(command(COMMANDS), COMMANDS)
        .max(MAX_SETUP, `has more than ${MAX_SETUP} commands`)
        .readonly(),
    ],
    COMMANDS,
  )
  .default([])
  .describe(
    'Commands that prepare a clone, such as `npm ci`; run before the first command of a run',
  );

export const AllowedCommands = z
  .strictObject(
    {
      allow: z
        .array(command(COMMANDS), COMMANDS)
        .max(MAX_ALLOWED, `has more than ${MAX_ALLOWED} entries`)
        .describe('The only commands the agent may run; `*` matches anything, as in `npm *`'),
    },
    'must contain `allow`, a list of commands',
  )
  .optional()
  .describe('Which commands the agent may run, if the operator allows commands at all');

const MAX_VARIABLES = 50;
const MAX_VALUE = 1_000;

const VARIABLES = 'must contain environment variables, one `NAME: value` per line';
const VALUE = 'must be a text on one line, a number, or `true` or `false`';
const PUBLIC =
  'is a secret by its name, and people can read this file: the operator can give it to commands with `COMMAND_ENV`';

const Value = z
  .union([z.string(), z.number(), z.boolean()], VALUE)
  .transform(String)
  .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), VALUE)
  .refine((text) => text.length <= MAX_VALUE, `is longer than ${MAX_VALUE} characters`)
  .refine(
    (text) => !hasCredential(text),
    'looks like a secret, and people can read this file: the operator can give it to commands with `COMMAND_ENV`',
  );

/** Public values: secrets are for the operator to give. */
export const CommandVariables = z
  .record(z.string(), Value, VARIABLES)
  .superRefine((variables, context) => {
    for (const name of Object.keys(variables)) {
      const kind = variableKind(name);
      if (kind === 'plain' || kind === 'address') continue;
      const message = kind === 'secret' ? PUBLIC : NOT_FOR_COMMANDS;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .refine(
    (variables) => Object.keys(variables).length <= MAX_VARIABLES,
    `has more than ${MAX_VARIABLES} variables`,
  )
  .default({})
  .describe(
    'Environment variables for commands, setup and tests; no secrets. [Which names](#variables-for-commands)',
  );

const MAX_TIMEOUT = 300;
const TIMEOUT = `must be a whole number of seconds from 1 to ${MAX_TIMEOUT}`;

export const CommandTimeout = z
  .int(TIMEOUT)
  .min(1, TIMEOUT)
  .max(MAX_TIMEOUT, TIMEOUT)
  .optional()
  .describe(
    `Seconds a command or test run may take if the model asks for no other time; defaults to the operator's \`COMMAND_TIMEOUT\``,
  );

// What `setup` installs and later sessions are to find.

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

const Path = z
  .string(PATH)
  .transform((path) => path.replace(/\/$/, ''))
  .refine((path) => {
    const below = path.startsWith(HOME) ? path.slice(HOME.length) : path;
    return path.length <= MAX_PATH && isPath(below) && !/^~\/?$/.test(path);
  }, PATH)
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
