// What a check that failed says: its annotations, and the end of its log.
import http from 'node:http';
import https from 'node:https';
import type { Check, CheckAnnotation, Excuse } from '../../contracts/checks.ts';
import { newAgent, proxyFor } from '../../lib/network.ts';
import { withoutInvisible } from '../../lib/text/invisible.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { GitHubDenied } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { ownerAndRepo } from '../requests/octokit.ts';
import { stripVTControlCharacters } from 'node:util';
import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../lib/public-address.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

/** What a check says, by others. Redacted and bounded. */
export interface CheckDetails {
  readonly summary: string;
  readonly annotations: readonly CheckAnnotation[];
  readonly log: string;
  readonly noLog?: string;
  readonly excuse?: Excuse;
}

const MOST_ANNOTATIONS = 10;
const LONGEST_MESSAGE = 500;
const LONGEST_LOG = 6_000;

/** In GitHub's words. */
const RUNNER_LOST =
  /runner has received a shutdown signal|lost communication with the server|not acquired by runner|hosted runner encountered an error/i;

/** `noLogs`: why no logs can be read, if that is known. Safe to repeat. */
export async function detailsOf(
  gate: Gate,
  check: Check,
  noLogs: string | undefined,
): Promise<CheckDetails> {
  const annotations = check.id === undefined ? [] : await annotationsOf(gate, check.id);
  const all = annotations.map(({ path, start_line: line, message }) => ({
    path: clean(gate, path, LONGEST_MESSAGE),
    line,
    message: clean(gate, message ?? '', LONGEST_MESSAGE),
  }));
  const excuse = excuseOf(check, all);
  return {
    summary: clean(gate, check.summary, LONGEST_MESSAGE),
    annotations: all.slice(0, MOST_ANNOTATIONS),
    ...(await logOf(gate, check, noLogs)),
    ...withoutUndefined({ excuse }),
  };
}

/** Only what GitHub itself says is evidence: a text of the job could say anything. */
function excuseOf(
  { state, passedBefore, isJob }: Check,
  annotations: readonly CheckAnnotation[],
): Excuse | undefined {
  if (state === 'broken') return 'no_result';
  if (passedBefore === true) return 'passed_before';
  const isLost = annotations.some(({ message }) => RUNNER_LOST.test(message));
  return isJob === true && isLost ? 'runner_lost' : undefined;
}

async function annotationsOf(gate: Gate, id: number) {
  const { data } = await gate.checks.rest.checks.listAnnotations({
    ...ownerAndRepo(gate),
    check_run_id: id,
    per_page: 50,
  });
  return data.filter(({ annotation_level: level }) => level !== 'notice');
}

async function logOf(
  gate: Gate,
  { id, isJob }: Check,
  noLogs: string | undefined,
): Promise<Pick<CheckDetails, 'log' | 'noLog'>> {
  if (id === undefined || isJob !== true) return { log: '' };
  if (noLogs !== undefined) return { log: '', noLog: noLogs };
  try {
    const answer = await gate.checks.rest.actions.downloadJobLogsForWorkflowRun({
      ...ownerAndRepo(gate),
      job_id: id,
      request: { returnsRedirect: true },
    });
    const { location = '' } = answer.headers;
    const found = await fetchLog(location, new URL(gate.checks.request.endpoint.DEFAULTS.baseUrl));
    if ('reason' in found) return { log: '', noLog: `The log was not read: ${found.reason}.` };
    const tail = gate.redactor.redact(logTail(found.text));
    const log = tail.length <= LONGEST_LOG ? tail : `…${tail.slice(-LONGEST_LOG)}`.toWellFormed();
    return { log };
  } catch (error) {
    if (!(error instanceof GitHubDenied)) throw error;
    return { log: '', noLog: `The log was not read. ${error.message}` };
  }
}

const clean = ({ redactor }: Gate, text: string, longest: number): string =>
  cutCharacters(redactor.redact(withoutInvisible(text)), longest, '…');

// The end of the step that failed, out of the log of a whole job.

/** GitHub writes a time before every line. */
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{8,20}Z ?/;
const LINES_BEFORE = 60;
const LINES_AFTER = 3;
const LONGEST_LINE = 400;

/** A step ends with its error; steps that clean up come after it. */
export function logTail(log: string): string {
  // Each line as a terminal shows it in the end.
  const lines = log
    .split(/\r?\n/)
    .map((line) => line.replace(TIME, ''))
    .map((line) =>
      withoutInvisible(stripVTControlCharacters(line.slice(line.lastIndexOf('\r') + 1))),
    );
  const error = lines.findLastIndex((line) => line.startsWith('##[error]'));
  const end = error === -1 ? lines.length : error + 1 + LINES_AFTER;
  return lines
    .slice(Math.max(0, end - LINES_AFTER - LINES_BEFORE), end)
    .filter((line) => !line.startsWith('##[endgroup]'))
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line))
    .join('\n')
    .trim();
}

// The log of a job. GitHub answers with the address of another host, which gets no token: the address is signed.

/** Of the end, which says what failed. */
const KEPT_BYTES = 256 * 1024;
const MOST_BYTES = 64 * 1024 * 1024;
const DEADLINE_MS = 20_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The end of the text at an address that GitHub gave; says in words why there is none. Never throws. */
export async function fetchLog(
  address: string,
  api: URL,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  const url = URL.parse(address);
  const against = url === null ? 'its address is no URL' : whyNot(url, api);
  if (url === null || against !== undefined) return { reason: against ?? '' };
  try {
    return { text: await fetchEnd(url, hasOwnHost(url, api)) };
  } catch (error) {
    return { reason: error instanceof NotPublic ? error.message : 'it could not be fetched' };
  }
}

/** The App's own GitHub may be in a private network, and a local one on this machine. */
const hasOwnHost = (url: URL, api: URL): boolean =>
  url.hostname === api.hostname || (LOOPBACK.test(api.hostname) && LOOPBACK.test(url.hostname));

function whyNot(url: URL, api: URL): string | undefined {
  const isLocal = LOOPBACK.test(api.hostname) && LOOPBACK.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    return 'its address is not https';
  if (url.username !== '' || url.password !== '') return 'its address has a password';
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && !hasOwnHost(url, api) && !isPublicAddress(literal)) return PRIVATE;
  return undefined;
}

const PRIVATE = 'its address is not public';
class NotPublic extends Error {}

/** The connection is made to the address that was checked. */
const lookupPublic: LookupFunction = (hostname, options, done) =>
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) return done(error ?? new NotPublic(PRIVATE), '', 0);
    if (!addresses.every((one: LookupAddress) => isPublicAddress(one.address)))
      return done(new NotPublic(PRIVATE), '', 0);
    return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
  });

/** @throws {Error} also for another redirect */
async function fetchEnd(url: URL, isOwn: boolean): Promise<string> {
  const { get } = url.protocol === 'https:' ? https : http;
  const response = await new Promise<http.IncomingMessage>((resolved, reject) => {
    get(
      url,
      {
        headers: { 'accept-encoding': 'identity', 'user-agent': 'issuewright' },
        signal: AbortSignal.timeout(DEADLINE_MS),
        agent: newAgent(url),
        // A proxy looks up the name itself.
        ...(isOwn || proxyFor(url) !== undefined ? {} : { lookup: lookupPublic }),
      },
      resolved,
    ).on('error', reject);
  });
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`the log's host answered ${response.statusCode}`);
  }
  // They begin with a byte order mark or, where the log was cut, maybe with a part of a character.
  const bytes = await lastBytes(response);
  return new TextDecoder('utf-8').decode(bytes).replace(/^\uFEFF/, '');
}

async function lastBytes(response: http.IncomingMessage): Promise<Buffer> {
  let kept: Buffer = Buffer.alloc(0);
  let read = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    read += chunk.length;
    if (read > MOST_BYTES) break;
    kept = Buffer.concat([kept, chunk]);
    if (kept.length > 2 * KEPT_BYTES) kept = Buffer.from(kept.subarray(-KEPT_BYTES));
  }
  return kept.subarray(-KEPT_BYTES);
}
