import git from 'isomorphic-git';
import { TryLater, TellPerson } from '../../../lib/errors.ts';
import { basicAuthorization } from '../credentials.ts';
import { explainGitFailure } from '../explain-failure.ts';
import {
  createHttpClient,
  InvalidResponse,
  encodePktLine,
  FLUSH,
  pktLinesIn,
  type ClosableHttpClient,
} from '../http-client.ts';
import {
  BRANCH_MOVED,
  demandsSignatures,
  deniesWorkflows,
  pushDenial,
} from '../../../session/texts/push-denials.ts';

const IDLE_MS = 60_000;
const NO_OBJECT = '0'.repeat(40);

interface PushRequest {
  readonly http: ClosableHttpClient;
  readonly url: string;
  /** Contain the credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly branch: string;
  /** Where the branch may be: at the parent of the commit, or at a commit that it takes the place of. */
  readonly parents: readonly string[];
  readonly commit: string;
  /** Why the commit has no signature, for people. */
  readonly unsigned: string | undefined;
  /** Builds the pack of the objects that the parent of the commit lacks. */
  pack(): Promise<Uint8Array>;
}

/** The same with a connection of its own, whose failure is explained. */
export async function pushTo(
  { remoteUrl: url, maxBytes }: { readonly remoteUrl: string; readonly maxBytes: number },
  { token, ...request }: Omit<PushRequest, 'http' | 'url' | 'headers'> & { readonly token: string },
): Promise<void> {
  const http = createHttpClient({ idleMs: IDLE_MS, maxBytes });
  try {
    await push({ ...request, http, url, headers: { authorization: basicAuthorization(token) } });
  } catch (error) {
    throw explainGitFailure(http.failure ?? error, url, 'push');
  } finally {
    http.close();
  }
}

/**
 * Moves `branch` from one of `parents` to `commit`, or creates it; never overwrites anything else. Does nothing if the branch is
 * already at `commit`, so it is safe to repeat, also while the server still works on an earlier attempt.
 *
 * Does not use isomorphic-git's push, which uploads every file of the repository once the base branch has
 * moved, although we know exactly which objects are new, and which hides the server's messages.
 * @throws {BranchMoved} if someone else pushed
 * @throws {TellPerson} if the server denies the push
 * @throws {TryLater} if something else is writing to the branch
 */
async function push(request: PushRequest): Promise<void> {
  const { branch, commit } = request;
  const ref = `refs/heads/${branch}`;
  const { head, capabilities: offered } = await look(request);
  if (head === commit) return;

  const sideBand = 'side-band-64k' in offered;
  const capabilities = `report-status${sideBand ? ' side-band-64k' : ''} agent=issuewright`;
  const command = `${head ?? NO_OBJECT} ${commit} ${ref}\0${capabilities}`;
  const lines = await post(request, [encodePktLine(command), FLUSH, await request.pack()]);
  if (denialIn(await readReport(lines, sideBand), request) === undefined) return;
  // It is not where it was. It may be where it should be, by an attempt of ours whose answer was lost.
  const now = await look(request);
  if (now.head !== commit) throw new TryLater(`the branch \`${branch}\` is being written to`);
}

/** Where the branch is: at `commit`, at one of `parents`, or nowhere yet. @throws {BranchMoved} if it is elsewhere */
async function look({
  http,
  url,
  headers,
  branch,
  parents,
  commit,
}: PushRequest): Promise<RemoteBranch> {
  const remote = await git.getRemoteInfo2({
    http,
    url,
    headers: { ...headers },
    forPush: true,
    protocolVersion: 1,
  });
  const refs = remote.protocolVersion === 1 ? remote.refs : undefined;
  const head = refs?.find((each) => each.ref === `refs/heads/${branch}`)?.oid;
  if (![undefined, commit, ...parents].includes(head)) throw branchMoved(branch);
  return { head, capabilities: remote.capabilities };
}

interface RemoteBranch {
  readonly head: string | undefined;
  readonly capabilities: object;
}

async function post({ http, url, headers }: PushRequest, body: Uint8Array[]): Promise<Buffer[]> {
  const response = await http.request({
    method: 'POST',
    url: `${url}/git-receive-pack`,
    headers: {
      ...headers,
      'content-type': 'application/x-git-receive-pack-request',
      accept: 'application/x-git-receive-pack-result',
    },
    body,
  });
  return pktLinesIn(response.body ?? []);
}

interface Report {
  readonly statusLines: readonly string[];
  /** The server's messages to the person who pushes, such as the output of a hook. */
  readonly messages: string;
}

async function readReport(lines: readonly Buffer[], sideBand: boolean): Promise<Report> {
  if (!sideBand) return { statusLines: lines.map(String), messages: '' };
  const band = (channel: number): Buffer =>
    Buffer.concat(lines.filter((line) => line[0] === channel).map((line) => line.subarray(1)));
  return {
    statusLines: (await pktLinesIn([band(1)])).map(String),
    messages: `${band(2).toString()}\n${band(3).toString()}`,
  };
}

/** @throws {TellPerson} unless the branch moved after we looked: git has no code for that, only these messages */
function denialIn(
  { statusLines, messages }: Report,
  { branch, unsigned }: Pick<PushRequest, 'branch' | 'unsigned'>,
): 'moved' | undefined {
  const lines = statusLines.map((line) => line.trim());
  if (lines.includes(`ok refs/heads/${branch}`)) return undefined;
  if (lines.length === 0) throw new InvalidResponse('the server did not report on the push');
  const failure = lines.find((line) => line.startsWith('ng ') || line !== 'unpack ok');
  const reason = failure?.replace(/^(ng \S+|unpack) /, '') ?? '';
  if (
    /^(non-fast-forward|fetch first|stale info|failed to update ref|cannot lock ref)/.test(reason)
  )
    return 'moved';
  throw pushDenied(branch, `${messages} (${reason})`, unsigned);
}

// What comes of a push that the server denied.

/** The server takes only commits with a verified signature. */
export class SignaturesRequired extends TellPerson {}

/** The server takes no workflow files that only this branch has. */
export class WorkflowsDenied extends TellPerson {}

/** Someone else has pushed since the workspace was made. The run begins again there; the message is for when it gives up. */
export class BranchMoved extends Error {
  override readonly name = 'BranchMoved';
}

export const branchMoved = (branch: string): BranchMoved =>
  new BranchMoved(BRANCH_MOVED.replace('{branch}', branch));

/**
 * @param said everything the server said about it, from hooks to the status of the branch
 * @param unsigned why the commit has no signature
 */
export function pushDenied(branch: string, said: string, unsigned?: string): TellPerson {
  const words = pushDenial(branch, said, unsigned);
  if (demandsSignatures(said)) return new SignaturesRequired(words);
  return deniesWorkflows(said) ? new WorkflowsDenied(words) : new TellPerson(words);
}
