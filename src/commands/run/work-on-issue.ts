// An issue on GitHub, with a person's token in place of an App.
import { readFile } from 'node:fs/promises';
import { issueByHand, nextIssue } from '../../app/by-hand/issue-on-github.ts';
import { sessionByHand, type EndedSession } from '../../app/by-hand/session-by-hand.ts';
import { pullRequestText } from '../../app/run/ports/forge.ts';
import { readIssueByHand, secretsByHand, type Environment } from '../../config.ts';
import type { TokenConfig } from '../../config/by-token.ts';
import type { Person } from '../../contracts/intent.ts';
import { addressesOf } from '../../github/addresses.ts';
import { issueOfEvent, type IssueAtRequest } from '../../events/pull-request-events.ts';
import { gitHubByToken, type RepositoryByToken } from '../../github/by-token.ts';
import { besideTheWork, TellPerson } from '../../lib/errors.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import type { Session } from '../../session/session.ts';
import { leftToPeople } from '../../session/texts/work-done.ts';
import { ProcessJournal } from '../../store/process-journal.ts';
import { whyPushIsDenied } from '../../workspace/git/remote.ts';
import { answersFrom } from './answers.ts';
import {
  AUTHOR,
  openHandContext,
  requireStopped,
  type HandContext,
  type HandOptions,
} from '../hand-context.ts';
import { requireOwnHost, type IssueAddress } from './issue-address.ts';
import { EXIT_CODES, outcomeByHand, reportResult, type RunResultFacts } from './result.ts';

export interface IssueTask extends HandOptions {
  readonly address: IssueAddress;
  readonly environment: Environment;
}

interface IssueRepository {
  readonly github: RepositoryByToken;
  /** Who wants the work. */
  readonly person: Person;
  readonly url: string;
}

/** Resolves with the exit code: that of the last issue. */
export async function workOnIssues(given: IssueTask): Promise<number> {
  const config = readIssueByHand(given.environment);
  const redactor = createRedactor(secretsByHand(config));
  requireOwnHost('issue', given.address, config.github);
  const context = await openHandContext(config, redactor, given);
  const { stopped, progress } = context;
  try {
    const place = await open(config.github, given, context, redactor);
    const journal = new ProcessJournal((_session, entries) => progress.hear(entries));
    const begun = new Set<number>();
    let wanted: WantedIssue | undefined = await firstIssue(given.address, config.github, place);
    let code = 0;
    for (;;) {
      wanted ??= await nextIssue(place.github, begun);
      if (wanted === undefined) {
        progress.say('No open issue with the label waits for work.');
        return code;
      }
      const { number } = wanted;
      begun.add(number);
      const ended = await workOn(wanted, place, journal, given, context);
      code = reportResult(ended, cameOf(ended.session, number, place), { ...given, ...context });
      const isOver = !['done', 'nothing_to_do'].includes(outcomeByHand(ended.session, stopped));
      if (!given.isContinuous || isOver || stopped.aborted) return code;
      wanted = undefined;
    }
  } catch (error) {
    // Between two sessions, or before the first one: nothing was changed.
    requireStopped(error, context);
    return EXIT_CODES.stopped;
  } finally {
    await context.close();
  }
}

type WantedIssue = IssueAtRequest | { readonly number: number };

/** A workflow works on the issue as it was when its event was made: whoever could write there since requested nothing. */
async function firstIssue(
  { number }: IssueAddress,
  { event }: TokenConfig,
  { github }: IssueRepository,
): Promise<WantedIssue | undefined> {
  if (number === undefined) return undefined;
  if (event === undefined) return { number };
  const payload: unknown = JSON.parse(await readFile(event, 'utf8'));
  const atRequest = issueOfEvent(payload, github.ref.id);
  return atRequest?.number === number ? atRequest : { number };
}

/** Finds out what could stop the work before anyone pays for it. */
async function open(
  { token, enterprise, actor, isOfWorkflow }: TokenConfig,
  { address }: IssueTask,
  { service: { log }, stopped: signal }: HandContext,
  redactor: ReturnType<typeof createRedactor>,
): Promise<IssueRepository> {
  const gitHub = gitHubByToken({ token, enterprise, isOfWorkflow, signal, log, redactor });
  const owner = await gitHub.owner();
  const github = await gitHub.repository(address, owner, 'write');
  const full = `${github.ref.owner}/${github.ref.name}`;
  const looking = AbortSignal.any([signal, AbortSignal.timeout(PUSH_LOOK_MS)]);
  const denied = await whyPushIsDenied(github.gitUrl, token, looking);
  if (denied !== undefined)
    throw new TellPerson(
      `GITHUB_TOKEN cannot push to ${full} (${denied.replace(/\.$/, '')}). ${isOfWorkflow ? 'Add `contents: write` below `permissions:` of the workflow.' : 'A fine-grained token needs the permission *Contents: Read and write* for it, and a classic one the scope `repo`.'}`,
    );
  // Whoever can trigger a workflow must not be able to spend on behalf of whoever wrote it.
  return { github, person: actor ?? owner, url: `${addressesOf(enterprise).url}/${full}` };
}

const PUSH_LOOK_MS = 30_000;

async function workOn(
  issueWanted: WantedIssue,
  { github, person, url }: IssueRepository,
  journal: ProcessJournal,
  given: IssueTask,
  context: HandContext,
): Promise<EndedSession> {
  const { service, progress, stopped } = context;
  const { areImagesSeen } = service.operator;
  const author = AUTHOR.name;
  const { settingsLayer } = given;
  const { number } = issueWanted;
  const atRequest = 'title' in issueWanted ? issueWanted : undefined;
  const wanted = { github, number, atRequest, person, author, areImagesSeen, settingsLayer };
  const issue = await issueByHand(wanted);
  progress.say(`Working on ${url}/issues/${number}, on the branch ${issue.opened.byHand?.branch}.`);
  progress.begin();
  try {
    const answer = answersFrom({ ...context, ...given });
    const ended = await sessionByHand({ ...issue, service, journal, answer, stopped });
    await besideTheWork(
      () => updateBody(github, ended.session, issue.id),
      (reason) => progress.say(`The body of the pull request is as it was. ${reason}`),
    ).catch((error: unknown) => {
      if (!stopped.aborted) throw error;
      service.log.warn({ err: error }, 'failed to update the pull request');
    });
    return ended;
  } finally {
    progress.rest();
  }
}

/** Its text is as of the end, as if a service had published it. */
async function updateBody(
  github: RepositoryByToken,
  session: Session,
  id: string | undefined,
): Promise<void> {
  const { pullRequest } = session.thread;
  if (pullRequest?.state !== 'open' || id === undefined) return;
  const text = pullRequestText(session, { id });
  await github.updatePullRequest({ ...text, number: pullRequest.number });
}

function cameOf(session: Session, number: number, { url }: IssueRepository): RunResultFacts {
  const { thread, work } = session;
  const { byHand, pullRequest } = thread;
  const last = work.commits.at(-1);
  const branch = last === undefined ? null : (byHand?.branch ?? null);
  const opened = pullRequest && { number: pullRequest.number, url: pullRequest.url };
  const left =
    branch === null
      ? 'Nothing was committed.'
      : `There is no pull request yet. The commits are on ${url}/tree/${branch}. Run the command again to continue.`;
  return {
    facts: { issue: `${url}/issues/${number}`, branch, pull_request: opened ?? null },
    ends: {},
    output: opened?.url ?? '',
    words:
      opened === undefined
        ? left
        : [`Pull request: ${opened.url}`, leftToPeople(session)]
            .filter((part) => part !== '')
            .join('\n'),
  };
}
