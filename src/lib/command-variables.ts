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
