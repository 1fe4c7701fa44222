// Fetches with the program git. What went wrong is found out by asking the server once more with our own client: git's
// words for a person are not the server's.
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import git, { type HttpClient } from 'isomorphic-git';
import { variablesForProxy } from '../../../../lib/network.ts';
import { basicAuthorization } from '../../credentials.ts';
import { CommitNotFound } from '../../explain-failure.ts';
import { createHttpClient, NetworkError, TooManyBytes } from '../../http-client.ts';
import type { HistoryRequest } from '../engine.ts';
import { keptRef } from './gitdir.ts';
import { DamagedRepository, GitFailed, runGitWith, type NativePlace } from './native-git.ts';

export const FETCH_MS = 300_000;
export const IDLE_MS = 60_000;
const ANSWER_BYTES = 16 * 1024 * 1024;

export interface FetchPlace extends NativePlace {
  readonly remoteUrl: string;
  /** Limit in bytes for the download. */
  readonly maxBytes: number;
  /** See `NativeOptions`. */
  readonly keepsOpen?: number | undefined;
}

/**
 * Fetches commits, each under its `keptRef`, with what they need and this repository lacks.
 * @throws {CommitNotFound} {TooManyBytes} {NetworkError} {HttpStatusError} and the other errors of our client
 */
export async function fetchCommits(place: FetchPlace, request: HistoryRequest): Promise<void> {
  const said = await fetchFrom(place.remoteUrl, place, request);
  if (said === undefined) return;
  const failure = await known(said, place, request.token);
  if (failure !== undefined) throw failure;
  const { url } = await locate(place, request.token);
  // It may have moved within the host.
  const again = url === place.remoteUrl ? said : await fetchFrom(url, place, request);
  if (again === undefined) return;
  const words = inShort(again, request.token);
  throw (await known(again, place, request.token)) ?? new NetworkError(words);
}

/** What git said if it failed. */
async function fetchFrom(
  url: string,
  place: FetchPlace,
  { commits, depth, token }: HistoryRequest,
): Promise<string | undefined> {
  const address = new URL(url);
  const { origin, protocol } = address;
  const options = {
    environment: {
      ...variablesForProxy(address),
      ...(protocol === 'https:' ? { GIT_SSL_CAINFO: await trustedIn(place.gitdir) } : {}),
      GIT_ALLOW_PROTOCOL: protocol.slice(0, -1),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `http.${origin}/.extraHeader`,
      GIT_CONFIG_VALUE_0: `Authorization: ${basicAuthorization(token)}`,
    },
    timeoutMs: FETCH_MS,
    maxFileBytes: place.maxBytes,
    keepsOpen: place.keepsOpen,
  };
  const words = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
  const refs = commits.map((commit) => `+${commit}:${keptRef(commit)}`);
  const all = ['fetch', ...words, '--refmap=', `--depth=${depth}`, '--', url, ...refs];
  const { exitCode, errors } = await runGitWith(place, options, all);
  return exitCode === 0 ? undefined : errors;
}

/**
 * Git trusts whom this process trusts, `NODE_EXTRA_CA_CERTS` included. A machine with git may have no certificates of its
 * own, as the image of the service.
 */
async function trustedIn(gitdir: string): Promise<string> {
  const path = join(gitdir, 'issuewright-ca.pem');
  await writeFile(path, getCACertificates('default').join('\n'));
  return path;
}

export const NOT_THERE =
  /not our ref|unadvertised object|remote ref does not exist|find remote ref/i;
const OUR_DISK = /No space left on device|Disk quota exceeded|Read-only file system/i;
const DAMAGED =
  /bad object|corrupt|broken|necessary objects|inflate|invalid object|unable to read|is empty|missing (?:blob|tree|commit)|not a git repository/i;

/** What needs no further question. */
async function known(said: string, place: FetchPlace, token: string): Promise<Error | undefined> {
  if (await isTooLarge(place)) return new TooManyBytes(`more than ${place.maxBytes} bytes`);
  if (NOT_THERE.test(said)) return new CommitNotFound(inShort(said, token));
  if (OUR_DISK.test(said)) return new GitFailed(inShort(said, token));
  const isDamaged = DAMAGED.test(said) || !(await isReadable(place));
  return isDamaged ? new DamagedRepository(inShort(said, token)) : undefined;
}

/** Whether git can read what is here, without the server: its settings, references and newest commit. */
async function isReadable(place: FetchPlace): Promise<boolean> {
  const { exitCode } = await runGitWith(place, {}, ['rev-list', '--all', '--max-count=1']);
  return exitCode === 0;
}

/** A process that writes beyond its limit is killed, and its file stays. */
async function isTooLarge({ gitdir, maxBytes }: FetchPlace): Promise<boolean> {
  const packs = join(gitdir, 'objects/pack');
  for (const name of await readdir(packs)) {
    if (!name.startsWith('tmp_')) continue;
    const { size } = await stat(join(packs, name));
    if (size >= maxBytes) return true;
  }
  return false;
}

const MOST_SAID = 500;

const inShort = (said: string, token: string): string =>
  said
    .replaceAll(token, '***')
    .replaceAll(basicAuthorization(token), '***')
    .trim()
    .slice(-MOST_SAID);

/**
 * Asks the server whether the token may read the repository; answers where it is now, and whether it sends parts of one.
 * @throws the errors of our client
 */
export async function locate(
  { remoteUrl, signal }: Pick<FetchPlace, 'remoteUrl' | 'signal'>,
  token: string,
): Promise<{ readonly url: string; readonly canFilter: boolean }> {
  const client = createHttpClient({ idleMs: IDLE_MS, maxBytes: ANSWER_BYTES, signal });
  let found = remoteUrl;
  let canFilter = false;
  const http: HttpClient = {
    request: async (request) => {
      const response = await client.request(request);
      found = response.url;
      return response;
    },
  };
  const headers = { authorization: basicAuthorization(token) };
  try {
    const info = await git.getRemoteInfo2({ http, url: remoteUrl, headers, protocolVersion: 2 });
    if (info.protocolVersion === 2)
      canFilter = String(info.capabilities['fetch']).split(' ').includes('filter');
    client.throwIfCut();
  } catch (error) {
    throw client.failure ?? error;
  } finally {
    client.close();
  }
  const url = new URL(found);
  return { url: `${url.origin}${url.pathname.replace(/\/info\/refs$/, '')}`, canFilter };
}
