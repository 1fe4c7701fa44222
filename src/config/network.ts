import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { BlockList, isIP } from 'node:net';
import { getCACertificates } from 'node:tls';
import { z } from 'zod';
import type { NetworkSettings } from '../lib/network.ts';
import { unlessItFails } from '../lib/errors.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { check, unreadableFile, type ConfigFault, type Variables } from './faults.ts';
import { trimmedText } from './values/fields.ts';

/** The settings of the network, and what of them no text may show. */
export interface NetworkConfig extends NetworkSettings {
  readonly secrets: readonly string[];
}

function isProxy(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return unlessItFails(() => decodeURIComponent(url.username + url.password)) !== undefined;
}

const proxy = trimmedText
  // `proxy.example.com:3128` is an address too, for curl and others.
  .transform((value) =>
    value === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`,
  )
  .refine(isProxy, {
    error:
      'must be the address of an HTTP proxy, such as `http://proxy.example.com:3128`. In the user and the password, write `%` as `%25`, `@` as `%40`, `:` as `%3A`, `/` as `%2F`, `#` as `%23`. SOCKS is not supported',
  });

export const NetworkVariables = z.object({
  HTTPS_PROXY: proxy.optional().meta({
    unset: '`HTTP_PROXY`',
    description:
      'Proxy for [all requests](operations.md#behind-a-proxy) to `https://` addresses, such as `http://user:password@proxy.example.com:3128`',
  }),
  HTTP_PROXY: proxy.optional().describe('Proxy for requests to `http://` addresses'),
  NO_PROXY: trimmedText
    .optional()
    .describe(
      'Hosts that are reached without a proxy, comma-separated: `example.com` with all names below it, `example.com:8443`, `10.1.2.3`, networks such as `10.0.0.0/8` for addresses that settings name, `*` for all. This machine (`localhost`, `127.0.0.0/8`, `::1`) always is',
    ),
  NODE_EXTRA_CA_CERTS: trimmedText
    .optional()
    .describe(
      'File with certificates in PEM that are trusted besides the public ones, such as that of your own authority',
    ),
});

const NAMES = Object.keys(NetworkVariables.shape) as (keyof typeof NetworkVariables.shape)[];

/** Other programs know them in lower case too, which counts if both are set. */
export const isOfNetwork = (name: string): boolean =>
  NAMES.some((one) => name === one || name === one.toLowerCase());

/** `undefined`: it has faults. */
export function readNetwork(
  variables: Variables,
  faults: ConfigFault[],
): NetworkConfig | undefined {
  const before = faults.length;
  const given = Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = variables[name.toLowerCase()] ?? variables[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const read = check(NetworkVariables, given, faults);
  const authorities = authoritiesIn(given['NODE_EXTRA_CA_CERTS']?.trim(), faults);
  const needy = NAMES.find((name) =>
    name === 'NODE_EXTRA_CA_CERTS' ? authorities.length > 0 : given[name] !== undefined,
  );
  if (needy !== undefined && !('setGlobalProxyFromEnv' in http))
    faults.push({
      name: needy,
      fault: `needs Node.js 24.14 or later, and this is ${process.versions.node}. Install that, or remove it`,
    });
  if (read === undefined || faults.length > before) return undefined;
  const { HTTP_PROXY: httpProxy } = read;
  const httpsProxy = read.HTTPS_PROXY ?? httpProxy;
  const direct = (read.NO_PROXY ?? '').split(/[,\s]+/).filter((entry) => entry !== '');
  if (direct.includes('*') || httpsProxy === undefined)
    return { proxies: {}, direct: [], authorities, secrets: [] };
  return {
    proxies: withoutUndefined({ 'https:': httpsProxy, 'http:': httpProxy }),
    direct: [...LOCAL, ...listenedAt(variables), ...expanded(direct, variables)],
    authorities,
    secrets: [httpProxy, httpsProxy].flatMap(secretsIn),
  };
}

const LOCAL = ['localhost', '127.0.0.1', '::1'];

/** The addresses that this service itself listens at. */
const listenedAt = ({ HOST, PAGES_HOST }: Variables): string[] =>
  [HOST, PAGES_HOST].flatMap((host) => (host === undefined ? [] : [host.trim().toLowerCase()]));

/** Node knows no networks, so each becomes those of its addresses that settings name. */
function expanded(entries: readonly string[], variables: Variables): string[] {
  const networks = new BlockList();
  networks.addSubnet('127.0.0.0', 8);
  const hosts = entries.flatMap((entry) => {
    const [address = '', length = ''] = entry.split('/', 2);
    if (isIP(address) === 0 || length === '') return [hostOf(entry)];
    unlessItFails(() => networks.addSubnet(address, Number(length), kindOf(address)));
    return [];
  });
  const named = Object.values(variables).flatMap((value) => value.match(ADDRESS) ?? []);
  const inside = named.filter((one) => isIP(one) !== 0 && networks.check(one, kindOf(one)));
  return [...new Set([...hosts, ...inside])];
}

/** Of either kind, and what only resembles one. */
const ADDRESS = /\d{1,3}(?:\.\d{1,3}){3}|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}/gi;

const kindOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const hostOf = (entry: string): string =>
  entry
    .toLowerCase()
    .replace(/^\*?\./, '')
    .replace(/^\[([^\]]*)\]$/, '$1');

/** The password as it is written and as the proxy knows it, and how both go to it. */
function secretsIn(address: string | undefined): string[] {
  const { username = '', password = '' } = URL.parse(address ?? '') ?? {};
  if (password === '') return [];
  const [user = '', known = ''] = [username, password].map((written) =>
    decodeURIComponent(written),
  );
  return [`${username}:${password}`, `${user}:${known}`, password, known];
}

const [BEGIN, END] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];

const certificatesIn = (text: string): string[] =>
  text
    .split(BEGIN)
    .slice(1)
    .map((after) => `${BEGIN}${after.split(END, 1)[0] ?? ''}${END}`);

/** The certificates of the file, unless Node has read it when it started, as it does if it is set by then. */
function authoritiesIn(path: string | undefined, faults: ConfigFault[]): readonly string[] {
  if (path === undefined) return [];
  const name = 'NODE_EXTRA_CA_CERTS';
  try {
    const found = certificatesIn(readFileSync(path, 'utf8'));
    if (found.length > 0 && found.every(isCertificate))
      return getCACertificates('extra').length > 0 ? [] : found;
    faults.push({ name, fault: NO_CERTIFICATES });
  } catch (error) {
    faults.push({ name, fault: unreadableFile(path, error) });
  }
  return [];
}

const isCertificate = (pem: string): boolean =>
  unlessItFails(() => new X509Certificate(pem)) !== undefined;

const NO_CERTIFICATES =
  'names a file without certificates, or with a damaged one. It must hold them in PEM, each between `-----BEGIN CERTIFICATE-----` and `-----END CERTIFICATE-----`';
