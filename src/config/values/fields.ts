import { isIP } from 'node:net';
import { z } from 'zod';
import { InstructionList } from '../../session/settings/fields.ts';
import { parse } from 'tldts';
import { isPrivateAddress, isPublicAddress } from '../../lib/public-address.ts';

/** The list has names of theirs on several levels, by service and region, and not those between. */
const CLOUDS =
  /(?:^|\.)(?:amazonaws\.com(?:\.cn)?|azure\.com|googleapis\.com|on\.aws|windows\.net)$/;

/** Whether `*.` stands before a name below which anyone can have a host, such as `*.com`. */
export function isPublicWildcard(item: string): boolean {
  if (!item.startsWith('*.')) return false;
  const name = item.slice(2).toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  if (/(?:^|\.)\d+$/.test(name)) return true;
  const { publicSuffix, isPrivate } = suffixOf(name);
  const isBetween = CLOUDS.test(name) && isPrivate !== true;
  // Some suffixes are any name below this one.
  return publicSuffix === name || isBetween || suffixOf(`any.${name}`).domain === null;
}

/** By the public suffix list, with the names that their owners have entered there. */
const suffixOf = (name: string): ReturnType<typeof parse> =>
  parse(name, { allowPrivateDomains: true });

export const PUBLIC_WILDCARD =
  'has a `*.` before a name below which anyone can have a host, such as `*.com`: name the hosts that you mean';

export const PRIVATE_HOST =
  'has an address or a name of a private network, such as `169.254.169.254`, which commands never reach: name public hosts';

/** Whether a host is one that the egress proxy connects to under no setting: this machine, or a service of its cloud. */
export function isOwnHost(item: string): boolean {
  const host = URL.parse(`http://${item}`)?.hostname ?? '';
  if (isIP(host) === 0) return /(?:^|\.)localhost$/.test(host);
  return !isPublicAddress(host) && !isPrivateAddress(host);
}

// The values a variable may have. Each message continues a sentence that begins with the variable's name.

export const trimmedText = z.string().trim();

const url = z.url({
  protocol: /^https?$/,
  error: 'must be an http(s) address, such as `https://issuewright.example.com`',
  abort: true,
});

/** An address that others are made from, by appending to its path. */
export const baseUrl = url.refine((value) => {
  const { username, password } = new URL(value);
  return username + password === '' && !/[?#]/.test(value);
}, 'must be only scheme, host and path, such as `https://pages.example.com`: remove user name, password, `?` and `#` with what follows them');

/** An address as it is; its path and query may be secret. */
export const webhookUrl = url.refine((value) => {
  const { username, password } = new URL(value);
  return username + password === '';
}, 'must have no user name and password: put a token into its path or query');

export const flag = (standard: boolean) =>
  z.stringbool({ error: 'must be `true` or `false`' }).default(standard);

const isWhole = (value: string, min: number, max: number): boolean =>
  /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max;

export const whole = (min: number, max: number) =>
  trimmedText
    .refine((value) => isWhole(value, min, max), `must be a whole number from ${min} to ${max}`)
    .transform(Number);

/** Turns a limit off. */
const OFF = 'none';

export const wholeOrNone = (min: number, max: number) =>
  trimmedText
    .refine(
      (value) => value === OFF || isWhole(value, min, max),
      `must be a whole number from ${min} to ${max}, or \`${OFF}\``,
    )
    .transform((value) => (value === OFF ? undefined : Number(value)));

/** US dollars; no limit by default, unless there is a `standard`. */
export const dollarAmount = (standard?: number) =>
  trimmedText
    .refine(
      (value) => value === OFF || (/^\d{1,6}(\.\d{1,4})?$/.test(value) && Number(value) > 0),
      `must be an amount in US dollars, such as \`2.50\`, or \`${OFF}\` for no limit`,
    )
    .transform((value) => (value === OFF ? undefined : Number(value)))
    .prefault(String(standard ?? OFF));

const itemsOf = (value: string): string[] => value.split(',').map((item) => item.trim());

/** Any items. */
export const anyList = (missing: string) =>
  z
    .string(missing)
    .transform(itemsOf)
    .refine(
      (items) => items.every((item) => item !== ''),
      'contains an empty item: remove the extra comma',
    );

/** Of a person, an organization or a bot. */
export const LOGIN = /^[a-z\d](?:[a-z\d_-]{0,99})(?:\[bot\])?$/i;

const isOneItem = (item: string): boolean => !/[;|\n]/.test(item);
const SEPARATE = 'has a `;`, a `|` or a line break in an item: separate the items with commas';

/** Items that no other sign than a comma can separate. */
export const list = (missing: string) =>
  anyList(missing).refine((items) => items.every(isOneItem), SEPARATE);

const NAME = String.raw`[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*`;
const LINK_HOST = new RegExp(String.raw`^(?:\*\.)?${NAME}(?::\d{1,5})?$`, 'i');

const isLinkHost = (item: string): boolean =>
  LINK_HOST.test(item) && URL.canParse(`https://${item.replace('*.', '')}`);

/** An address of this machine to listen on. */
export const listenHost = trimmedText.refine(
  (value) => isIP(value) !== 0 || new RegExp(`^${NAME}$`, 'i').test(value),
  'must be an address or a name of this machine, such as `127.0.0.1`, or `0.0.0.0` for all, without `http://` or a port',
);

/** With or without a port. */
const HOST_NAME = /^[a-z\d-]+(?:\.[a-z\d-]+)*(?::\d{1,5})?$|^\[[\da-f:]+\](?::\d{1,5})?$/i;
/** github.com has these and all below them. */
const GITHUB_COM = /^(?:.*\.)?(?:github\.com|githubusercontent\.com|github\.io)(?::\d+)?$/i;
/** GitHub Enterprise Cloud with data residency, and an enterprise there. */
const GHE_COM = /^(?:.*\.)?ghe\.com(?::\d+)?$/i;
const ENTERPRISE = /^(?!(?:www|api)\.)[a-z\d-]+\.ghe\.com$/i;

/** The host of GitHub, unless it is github.com. */
export const gheHost = trimmedText
  .regex(HOST_NAME, 'must be a host, such as `github.example.com`, without `https://` or a path')
  .refine((host) => URL.canParse(`https://${host}`), 'has a port that is none')
  .refine((host) => !GITHUB_COM.test(host), 'must be left unset for github.com')
  .refine(
    (host) => !GHE_COM.test(host) || ENTERPRISE.test(host),
    'must be the host at which people sign in, such as `octocorp.ghe.com`, without `api.` or `www.` before it and without a port',
  );

/** Host names; `*.` before a name includes all its subdomains. */
export const linkHosts = trimmedText
  .transform(itemsOf)
  .refine(
    (items) => items.every(isLinkHost),
    'must be a list of hosts, such as `docs.example.com,*.example.org`',
  )
  .refine((items) => !items.some(isPublicWildcard), PUBLIC_WILDCARD);

/** Files of a repository, from its root. */
export const repositoryFiles = (standard: readonly string[]) =>
  trimmedText
    .transform((value) => (value === OFF ? [] : itemsOf(value)))
    .refine((items) => items.every(isOneItem), SEPARATE)
    .refine((items) => !items.includes(OFF), 'must be `none` alone, or a list of files')
    .refine(
      (items) => !items.some((item) => /[*?]/.test(item)),
      'must be paths, without `*` or `?`',
    )
    .pipe(InstructionList)
    .prefault(standard.join(','));

/** When to compact a conversation: above a number of messages, a share of the window, or either. */
export interface Threshold {
  readonly messages: number | undefined;
  readonly share: number | undefined;
}

const THRESHOLD_FAULT =
  'must be a number of messages (`30`), a share of the context window (`75%`, from 10% to 95%), or both (`30,75%`)';

export const threshold = (standard: string) =>
  trimmedText
    .transform((value, context): Threshold => {
      const read = readThreshold(itemsOf(value));
      if (read !== undefined) return read;
      context.addIssue({ code: 'custom', message: THRESHOLD_FAULT });
      return z.NEVER;
    })
    .prefault(standard);

function readThreshold(items: readonly string[]): Threshold | undefined {
  const counts = items.filter((item) => isWhole(item, 4, 10_000));
  const shares = items.filter((item) => item.endsWith('%') && isWhole(item.slice(0, -1), 10, 95));
  const isReadable = counts.length <= 1 && shares.length <= 1;
  if (!isReadable || counts.length + shares.length !== items.length) return undefined;
  const [count] = counts;
  const [share] = shares;
  return {
    messages: count === undefined ? undefined : Number(count),
    share: share === undefined ? undefined : Number.parseInt(share, 10) / 100,
  };
}
