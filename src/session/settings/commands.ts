import { z } from 'zod';
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

// Which environment variables commands may be given. A variable can steer a shell, the loader, a runtime or the
// sandbox, and programs invent such names every year: so only names are allowed that end in a word of a list, which
// says what the value is.

/** What no program executes, loads or writes to, and what hides nothing. */
const PLAIN =
  'ENV MODE LEVEL REGION ZONE HOST HOSTNAME PORT USER USERNAME NAME EMAIL ID DATABASE DB SCHEMA TABLE BUCKET QUEUE TOPIC VERSION LOCALE LANGUAGE TIMEZONE TZ DEBUG VERBOSE ENABLED DISABLED FLAG FLAGSET FEATURE COUNT SIZE LIMIT MAX MIN SEED TIMEOUT RETRIES WORKERS THREADS JOBS TENANT PROJECT ORG ORGANIZATION TEAM STAGE TARGET TYPE KIND COLOR';

/** An address may contain a password. */
const ADDRESSES = 'URL URI DSN ENDPOINT';

const SECRETS =
  'TOKEN KEY SECRET PASSWORD PASS PASSPHRASE PWD CREDENTIAL CREDENTIALS AUTH COOKIE LICENSE CERTIFICATE';

type VariableKind = 'plain' | 'address' | 'secret';

/** Well-known names of one word. */
const SINGLE: ReadonlyMap<string, VariableKind> = new Map([
  ...'TZ DEBUG PORT PGHOST PGPORT PGUSER PGDATABASE'
    .split(' ')
    .map((one) => [one, 'plain'] as const),
  ['PGPASSWORD', 'secret'],
]);

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const plain = words(PLAIN);
const addresses = words(ADDRESSES);
const secrets = words(SECRETS);

/** The list, for people. */
export const VARIABLE_WORDS = {
  plain: PLAIN,
  addresses: ADDRESSES,
  secrets: SECRETS,
  single: [...SINGLE.keys()].join(' '),
};

const SHAPE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const LONGEST = 64;

/** Shells run the file that `BASH_ENV` names, and the loader reads all that begins with `LD`. */
const STEERING = /^(?:BASH|ZSH|KSH|ENV|LD|DYLD|GLIBC|GIT|SANDBOX|BWRAP)_/;

/** What a variable of this name holds; `undefined` if commands may not be given it. */
export function variableKind(name: string): VariableKind | undefined {
  const single = SINGLE.get(name);
  if (single !== undefined) return single;
  if (name.length > LONGEST || !SHAPE.test(name) || STEERING.test(name)) return undefined;
  const last = name.slice(name.lastIndexOf('_') + 1);
  if (secrets.has(last)) return 'secret';
  if (addresses.has(last)) return 'address';
  return plain.has(last) ? 'plain' : undefined;
}

/** Follows the name of a variable. */
export const NOT_FOR_COMMANDS =
  'is not allowed: it could steer the shell, the loader or a runtime. Names are capital words joined by `_`, and the last one says what the value is, such as `APP_ENV`, `DB_HOST` or `NPM_TOKEN` (the list is in docs/configuration.md). For another name, write it before the command: `NAME=value command`';
