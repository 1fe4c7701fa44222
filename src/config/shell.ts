import { resolve } from 'node:path';
import { z } from 'zod';
import type { ShellSettings } from '../app/service/shells.ts';
import { isPrivateHost } from '../lib/public-address.ts';
import { keyFilesOf } from './key-files.ts';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { parseImagePattern } from '../lib/image-reference.ts';
import {
  anyList,
  flag,
  list,
  trimmedText,
  whole,
  isOwnHost,
  PRIVATE_HOST,
  isPublicWildcard,
  PUBLIC_WILDCARD,
} from './values/fields.ts';
import { holdsSecrets } from './values/private-places.ts';

const HOST = /^(\*\.)?[a-z\d]([a-z\d-]{0,62}\.)*[a-z\d-]{1,63}(?::(\d{1,5}))?$/i;
const MAX_PORT = 65_535;

export function isHost(text: string): boolean {
  const [whole, , , port = '80'] = HOST.exec(text) ?? [];
  return whole !== undefined && Number(port) > 0 && Number(port) <= MAX_PORT;
}

const MAX_TIMEOUT = 300;
const LONGEST_TIMEOUT = 7_200;
const GIB = 1024 ** 3;
const MOST_BYTES = 1024 * GIB;
/** Of an image. */
const MOST_FILES = 500_000;

const items = list('missing').optional();

export const ShellVariables = z.object({
  ALLOW_DANGEROUS_TOOLS: flag(false).describe(
    'Whether the agent may run commands at all. Repositories can still disable them',
  ),
  SANDBOX: z
    .enum(['bubblewrap', 'unsafe'], 'must be `bubblewrap` or `unsafe`')
    .default('bubblewrap')
    .describe(
      '`bubblewrap`: commands run in a sandbox; `unsafe`: they can do anything the service can do, and the status comment says so',
    ),
  SANDBOX_ALLOW_HOSTS: items
    .refine(
      (hosts = []) => hosts.every(isHost),
      'must be a list of host names: `registry.example.com`, `*.example.com` for all names below it, with a port as in `registry.example.com:8443`',
    )
    .refine((hosts = []) => !hosts.some(isPublicWildcard), PUBLIC_WILDCARD)
    .refine(
      (hosts = []) => !hosts.some(isPrivateHost),
      `${PRIVATE_HOST}, and internal ones in SANDBOX_PRIVATE_HOSTS`,
    )
    .describe(
      'Hosts that commands may reach, comma-separated: `registry.example.com`, `*.example.com`; ports 80 and 443 unless you add a `:port`',
    ),
  SANDBOX_PRIVATE_HOSTS: items
    .refine(
      (hosts = []) => hosts.every((host) => isHost(host) && !host.startsWith('*')),
      'must be a list of host names without `*`, such as `npm.corp.example` or `nexus.corp.example:8081`',
    )
    .refine(
      (hosts = []) => !hosts.some(isOwnHost),
      "names this machine or a cloud's metadata service, such as `localhost` or `169.254.169.254`, which commands never reach",
    )
    .describe(
      'Internal hosts that commands may reach although their addresses are private, such as a registry of your own, comma-separated: `npm.corp.example`, `nexus.corp.example:8081`. Every session of every repository reaches them',
    ),
  SANDBOX_READ_PATHS: items
    .refine(
      (paths = []) => paths.every((path) => path.startsWith('/') && !/\/\.\.(?:\/|$)/.test(path)),
      'must be a list of absolute paths, such as `/opt/toolchain`',
    )
    .refine(
      (paths = []) => !paths.some((path) => path.includes('*')),
      'has a `*`: name the directories themselves',
    )
    .refine(
      (paths = []) => !paths.some((path) => path.includes(':/')),
      'has a `:` between two paths: separate them with commas',
    )
    .refine(
      (paths = []) => !paths.some(holdsSecrets),
      'names what holds secrets or processes of this machine, such as `/`, `/etc`, `/proc`, a home directory or a socket: name only the directories of the toolchains, such as `/opt/toolchain`',
    )
    .describe(
      "Absolute paths that commands may read besides the system's own directories, comma-separated",
    ),
  COMMAND_ENV: anyList('missing')
    .optional()
    .describe(
      "Environment variables for commands, comma-separated: `NPM_TOKEN` passes on the service's own variable, `APP_ENV=test` sets one. Every session of every repository gets them. [Which names, and what is redacted](#variables-for-commands)",
    ),
  COMMAND_TIMEOUT: whole(1, MAX_TIMEOUT)
    .optional()
    .describe(
      `Seconds a command or test run may take if the model asks for no other time, at most ${MAX_TIMEOUT}; 60 for commands and 300 for tests if unset`,
    ),
  ENVIRONMENT_IMAGES: items
    .refine(
      (images = []) => images.every((image) => parseImagePattern(image) !== undefined),
      'must be a list of repositories of images, such as `docker.io/library/python`, or `ghcr.io/acme/*` for all below; with `http://` before it for a registry without TLS',
    )
    .describe(
      'Container images that a repository may [run its commands in](using.md#the-repositorys-own-environment), comma-separated: `docker.io/library/python`, `ghcr.io/acme/*`; none if unset. Needs the programs skopeo and umoci',
    ),
  ENVIRONMENT_MAX_BYTES: whole(1, MOST_BYTES)
    .default(8 * GIB)
    .describe('Limit in bytes for one image: for its download, and for its files'),
  REGISTRY_AUTH_FILE: trimmedText
    .optional()
    .describe('File with credentials for registries of images, as `skopeo login` writes it'),
  TEST_TIMEOUT: whole(1, LONGEST_TIMEOUT)
    .default(MAX_TIMEOUT)
    .describe(
      `Seconds a test run, and each command of \`setup\`, may take at most, up to ${LONGEST_TIMEOUT}. No other command takes more than ${MAX_TIMEOUT}`,
    ),
});

/** How this process reaches the outside, for programs that it starts. */
function networkOf(variables: Variables): Record<string, string> {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
  const all = names.flatMap((name) => [name, name.toLowerCase()]);
  return Object.fromEntries(
    all.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]])),
  );
}

/** `given`: the items of `COMMAND_ENV`. */
type ReadShell = Omit<ShellSettings, 'environment'> & { readonly given: readonly string[] };

export function readShell(variables: Variables, faults: ConfigFault[]): ReadShell | undefined {
  const read = check(ShellVariables, variables, faults);
  if (read === undefined) return undefined;
  const { REGISTRY_AUTH_FILE: file } = read;
  const authFile = file === undefined ? undefined : resolve(file);
  return {
    given: read.COMMAND_ENV ?? [],
    timeoutSeconds: read.COMMAND_TIMEOUT,
    longestSeconds: read.TEST_TIMEOUT,
    isAllowed: read.ALLOW_DANGEROUS_TOOLS,
    sandbox: read.SANDBOX,
    allowHosts: read.SANDBOX_ALLOW_HOSTS ?? [],
    privateHosts: read.SANDBOX_PRIVATE_HOSTS ?? [],
    readPaths: read.SANDBOX_READ_PATHS ?? [],
    secretFiles: [...keyFilesOf(variables), '.env', authFile].filter((path) => path !== undefined),
    images: {
      allowed: (read.ENVIRONMENT_IMAGES ?? []).flatMap((image) => parseImagePattern(image) ?? []),
      maxBytes: read.ENVIRONMENT_MAX_BYTES,
      maxFiles: MOST_FILES,
      authFile,
      network: networkOf(variables),
    },
  };
}
