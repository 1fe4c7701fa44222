import { z } from 'zod';
import type { ServerSettings } from '../mcp/settings.ts';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { trimmedText, PRIVATE_HOST } from './values/fields.ts';
import { jsonFault } from './values/json-fault.ts';
import { isPrivateHost } from '../lib/public-address.ts';
import { isHost } from './shell.ts';

const MAX_SERVERS = 20;
const DEFAULT_START_SECONDS = 10;
const MAX_START_SECONDS = 60;
const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 600;

/** Without `__`, which separates it from the names of its tools. */
const NAME = /^[a-z][a-z\d]*(?:[-_][a-z\d]+)*$/;
const MAX_NAME = 20;
const NAME_FAULT = `must be a name of at most ${MAX_NAME} lower-case letters, digits, \`-\` and \`_\` that begins with a letter`;

const VARIABLE = /^[A-Za-z_]\w*$/;
const HEADER = /^[\w!#$%&'*+.^`|~-]+$/;

const line = (error: string) =>
  z
    .string(error)
    .min(1, error)
    .max(4_000, error)
    .refine((value) => !/[\0\r\n]/.test(value), error);
const argument = z
  .string('must be a list of strings')
  .max(4_000, 'has an item that is too long')
  .refine((value) => !value.includes('\0'), 'contains a NUL character');

/** Other programs replace variables in these values. */
function isReplaced(value: string): boolean {
  const open = value.indexOf('${');
  const isPart = open !== -1 && value.includes('}', open);
  return !isPart && !/^\$\w+$/.test(value);
}
const VARIABLES_STAY =
  'has a value with a variable, which is not replaced here: write the value itself';

const values = (names: RegExp, error: string) =>
  z.record(
    z.string().regex(names),
    line('must be a string on one line').refine(isReplaced, VARIABLES_STAY),
    {
      error: ({ code }) => (code === 'invalid_key' ? 'is no name' : error),
    },
  );

function canBeSent(headers: Readonly<Record<string, string>>): boolean {
  try {
    return new Headers(headers) instanceof Headers;
  } catch {
    return false;
  }
}

/** At most that many, or the default. */
function seconds(most: number, usual: number) {
  const error = `must be a whole number of seconds from 1 to ${most}`;
  return z.int(error).min(1, error).max(most, error).default(usual);
}

const ALONE = 'must be a program alone: put what follows its name into `args`';

const common = {
  safe: z
    .array(z.string().min(1).max(128), 'must be a list of names of tools')
    .max(200, 'has more than 200 names')
    .default([]),
  start: seconds(MAX_START_SECONDS, DEFAULT_START_SECONDS),
  timeout: seconds(MAX_SECONDS, DEFAULT_SECONDS),
};

const Local = z.strictObject({
  ...common,
  type: z.literal('stdio', 'must be `stdio` for a server with a `command`').optional(),
  command: line('must be the name or the path of a program')
    .refine((value) => value.startsWith('/') || !/\s/.test(value), ALONE)
    .refine((value) => !value.startsWith('~'), 'has a `~`, which only a shell replaces'),
  args: z
    .array(argument, 'must be a list of strings')
    .max(100, 'has more than 100 items')
    .default([]),
  env: values(VARIABLE, 'must contain environment variables, each with a string').default({}),
  egress: z
    .array(
      z
        .string()
        .refine(
          isHost,
          'must be a list of host names, such as `api.example.com` or `*.example.com:8443`',
        )
        .refine((host) => !isPrivateHost(host), PRIVATE_HOST),
      'must be a list of host names',
    )
    .max(50, 'has more than 50 hosts')
    .default([]),
});

const Remote = z.strictObject({
  ...common,
  type: z
    .enum(['http', 'streamable-http'], 'must be `http`: only streamable HTTP is supported')
    .optional(),
  url: line('must be an http(s) address').refine((value) => {
    const url = URL.parse(value);
    const isPlain = url !== null && url.username + url.password === '';
    return isPlain && /^https?:$/.test(url.protocol);
  }, 'must be an http(s) address without a user name or password: put credentials in `headers`'),
  headers: values(HEADER, 'must contain headers, each with a string')
    .refine(canBeSent, 'contains a character that no header can have, such as `…`')
    .default({}),
});

export const McpVariables = z.object({
  MCP_SERVERS: trimmedText.optional().meta({
    unset: 'none',
    description:
      '[MCP servers](mcp.md) whose tools repositories may use, as JSON: `{"docs": {"url": "https://mcp.example.com/mcp"}, "fs": {"command": "mcp-server-filesystem", "args": ["/workspace"]}}`',
  }),
});

/** The servers that repositories may use; empty by default. */
export function readMcp(
  variables: Variables,
  faults: ConfigFault[],
): readonly ServerSettings[] | undefined {
  const read = check(McpVariables, variables, faults);
  if (read?.MCP_SERVERS === undefined) return read && [];
  const found: string[] = [];
  const servers = serversIn(read.MCP_SERVERS, found);
  for (const fault of found) faults.push({ name: 'MCP_SERVERS', fault });
  return found.length > 0 ? undefined : servers;
}

const FORM = 'Its form is `{"name": {"command": "…", "args": […]}}` or `{"name": {"url": "…"}}`';

function serversIn(json: string, faults: string[]): ServerSettings[] {
  const place = jsonFault(json);
  if (place !== undefined) {
    faults.push(`is not valid JSON: ${place}, or just before it. ${FORM}`);
    return [];
  }
  const named = namedServers(JSON.parse(json));
  if (named === undefined) faults.push(`must be an object of servers by name. ${FORM}`);
  else if (named.length > MAX_SERVERS) faults.push(`has more than ${MAX_SERVERS} servers`);
  else if (new Set(named.map(([name]) => name)).size < named.length)
    faults.push('has two servers of the same name. Rename one');
  else return named.flatMap(([name, given]) => serverOf(name, given, faults));
  return [];
}

type NamedServer = readonly [name: string, given: unknown];

/** By name; as other programs write them, below `mcpServers`; or a list of servers that have a \`name\`. */
function namedServers(given: unknown): readonly NamedServer[] | undefined {
  if (Array.isArray(given)) return given.map(fromList);
  if (typeof given !== 'object' || given === null) return undefined;
  const entries: NamedServer[] = Object.entries(given);
  const [only, ...more] = entries;
  if (more.length === 0 && only?.[0] === 'mcpServers') return namedServers(only[1]);
  return entries;
}

function fromList(item: unknown): NamedServer {
  if (typeof item !== 'object' || item === null || !('name' in item)) return ['', item];
  const { name, ...rest } = item;
  return [typeof name === 'string' ? name : '', rest];
}

function serverOf(name: string, given: unknown, faults: string[]): ServerSettings[] {
  if (!NAME.test(name) || name.length > MAX_NAME) {
    faults.push(`the name of a server ${NAME_FAULT}`);
    return [];
  }
  const isRemote = typeof given === 'object' && given !== null && 'url' in given;
  const parsed = (isRemote ? Remote : Local).safeParse(given);
  if (!parsed.success) {
    faults.push(...parsed.error.issues.slice(0, 3).map((issue) => faultOf(name, issue)));
    return [];
  }
  const { data } = parsed;
  const shared = {
    name,
    safe: data.safe,
    startMs: data.start * 1000,
    timeoutMs: data.timeout * 1000,
  };
  return 'url' in data
    ? [{ ...shared, kind: 'remote', url: data.url, headers: data.headers }]
    : [
        {
          ...shared,
          kind: 'local',
          command: data.command,
          args: data.args,
          environment: data.env,
          egress: data.egress,
        },
      ];
}

/** Never with a value, which may be a secret. */
function faultOf(name: string, issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `\`${name}\` has a setting that is unknown for its kind. A server with a \`command\` may have \`${Object.keys(Local.shape).join('`, `')}\`, one with a \`url\` \`${Object.keys(Remote.shape).join('`, `')}\``;
  const [option] = issue.path;
  return option === undefined
    ? `\`${name}\` must be an object with a \`command\` or a \`url\``
    : `\`${String(option)}\` of \`${name}\` ${issue.message}`;
}

/** A plain word, a number, a path or an address: to redact these would garble texts and hide nothing. */
const PLAIN = /^(?:[a-z]+|[\d.]+|\/[\w./-]*|https?:\/\/[\w.:/-]*)$/i;
const SECRET_NAME = /key|token|secret|pass|auth|credential|cookie/i;

/** What of the servers' environments and headers must not be shown. */
export const secretsOfServers = (servers: readonly ServerSettings[]): readonly string[] =>
  servers.flatMap((server) =>
    Object.entries(server.kind === 'local' ? server.environment : server.headers)
      .filter(([name, value]) => SECRET_NAME.test(name) || !PLAIN.test(value))
      .flatMap(([, value]) => [value, value.replace(/^(?:Bearer|Basic|Token)\s+/i, '')]),
  );
