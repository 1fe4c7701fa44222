import git from 'isomorphic-git';
import type { HttpClient } from 'isomorphic-git';
import { TellPerson } from '../../lib/errors.ts';
import { decodePktLines, encodePktLine, FLUSH } from './pkt-line.ts';
import { pushRefused } from './push-refusal.ts';

const NO_OBJECT = '0'.repeat(40);

export interface PushRequest {
  readonly http: HttpClient;
  readonly url: string;
  /** Holds the credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly branch: string;
  readonly parent: string;
  readonly commit: string;
  /** Makes the pack of the objects that `parent` lacks. */
  pack(): Promise<Uint8Array>;
}

/**
 * Moves `branch` from `parent` to `commit`, or makes it; nothing else is overwritten. A branch that is
 * at `commit` already is left there.
 *
 * The request is our own: the library's push uploads every file of the repository as soon as the
 * base branch has moved on, where we know exactly which objects are new; and it hides the server's words.
 * @throws {TellPerson} someone else pushed, or the server denies it
 */
export async function push(request: PushRequest): Promise<void> {
  const { http, url, headers, branch, parent, commit } = request;
  const ref = `refs/heads/${branch}`;
  const remote = await git.getRemoteInfo2({
    http,
    url,
    headers: { ...headers },
    forPush: true,
    protocolVersion: 1,
  });
  const head = remote.protocolVersion === 1 && remote.refs?.find((each) => each.ref === ref)?.oid;
  if (head === commit) return;
  if (head && head !== parent) throw somebodyElsePushed(branch);

  const sideBand = 'side-band-64k' in remote.capabilities;
  const capabilities = `report-status${sideBand ? ' side-band-64k' : ''} agent=issuewright`;
  const command = `${head || NO_OBJECT} ${commit} ${ref}\0${capabilities}`;
  const answer = await post(request, [encodePktLine(command), FLUSH, await request.pack()]);
  checkReport(readReport(answer, sideBand), branch);
}

async function post({ http, url, headers }: PushRequest, body: Uint8Array[]): Promise<Buffer> {
  const response = await http.request({
    method: 'POST',
    url: `${url}/git-receive-pack`,
    headers: {
      ...headers,
      'content-type': 'application/x-git-receive-pack-request',
      accept: 'application/x-git-receive-pack-result',
    },
    body: asyncValues(body),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* asyncValues(values: Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* values;
}

interface Report {
  readonly statusLines: readonly string[];
  /** What the server said to the person who pushes, such as the words of a hook. */
  readonly messages: string;
}

function readReport(answer: Buffer, sideBand: boolean): Report {
  const lines = decodePktLines(answer);
  if (!sideBand) return { statusLines: lines.map(String), messages: '' };
  const band = (channel: number): Buffer =>
    Buffer.concat(lines.filter((line) => line[0] === channel).map((line) => line.subarray(1)));
  return {
    statusLines: decodePktLines(band(1)).map(String),
    messages: `${band(2).toString()}\n${band(3).toString()}`,
  };
}

function checkReport({ statusLines, messages }: Report, branch: string): void {
  const lines = statusLines.map((line) => line.trim());
  if (lines.includes(`ok refs/heads/${branch}`)) return;
  const failure = lines.find((line) => line.startsWith('ng ') || line !== 'unpack ok');
  const reason = failure?.replace(/^(ng \S+|unpack) /, '') ?? '';
  // The branch moved between our look and our push: git has no code for it, only these words.
  if (
    /^(non-fast-forward|fetch first|stale info|failed to update ref|cannot lock ref)/.test(reason)
  )
    throw somebodyElsePushed(branch);
  throw pushRefused(branch, `${messages} (${reason || 'no status'})`);
}

const somebodyElsePushed = (branch: string): TellPerson =>
  new TellPerson(
    `Someone else pushed to \`${branch}\` in the meantime, and their commits are never overwritten. ` +
      'Label the issue again to continue on top of them.',
  );
