import type { Session } from '../session.ts';
import { changedFiles, commitList } from './commits.ts';
import { headline } from './headline.ts';
import { code, oneLine, quoted, sections } from './markdown.ts';
import { commandsRun, testRuns } from './runs.ts';

export interface PullRequestBodyOptions {
  /** The session page, where people can reach one. */
  readonly pageUrl?: string | undefined;
  /** What the agent says of a pull request that is about to be opened. */
  readonly opening?: string | undefined;
}

// Together well under GitHub's 65,536 characters, whatever stands in the journal.
const MAX_SAID = 12_000;
const MAX_FILES = 60;
const MAX_COMMITS = 20;

/** The pull request's body: what the agent says, apart from what was observed. Markdown. */
export function pullRequestBody(session: Session, options: PullRequestBodyOptions): string {
  return sections(
    `Closes #${session.issue}`,
    unpublished(session),
    '## What the agent says',
    said(session, options),
    '## What was observed',
    files(session),
    `**Commits of the agent**\n\n${commitList(session.commits, MAX_COMMITS) || 'none'}`,
    testRuns(session),
    commandsRun(session),
    footer(session, options),
  );
}

/** Publications without which nobody on the issue knows how it stands. */
const STANDING: ReadonlySet<string> = new Set(['status', '*']);

/** Where the issue's own comments cannot be written, people read here how it stands. */
function unpublished(session: Session): string {
  const { unpublished: refusal, issue } = session;
  if (refusal === undefined || !refusal.keys.some((key) => STANDING.has(key))) return '';
  const { sign, words, reason } = headline(session);
  const state = `**${sign} ${words}**${reason === '' ? '' : ` · ${oneLine(reason)}`}`;
  return sections(`⚠️ Nothing can be said on #${issue}. ${oneLine(refusal.reason)}`, state);
}

function said({ pullRequest, finish }: Session, { opening }: PullRequestBodyOptions): string {
  const first = (opening ?? pullRequest?.said ?? '').trim();
  const last = finish?.summary.trim() ?? '';
  return sections(
    first === '' ? '_It did not say anything._' : quoted(first, MAX_SAID),
    last === '' || last === first
      ? ''
      : sections('At the end of its last run:', quoted(last, MAX_SAID)),
  );
}

function files({ commits }: Session): string {
  const all = changedFiles(commits);
  if (all.length === 0) return '**Files changed**: none';
  const rows = all.slice(0, MAX_FILES).map(({ path, status }) => `- ${status} ${code(path)}`);
  if (all.length > MAX_FILES) rows.push(`- … and ${all.length - MAX_FILES} more`);
  return `**Files changed** (${all.length})\n\n${rows.join('\n')}`;
}

function footer({ run }: Session, { pageUrl }: PullRequestBodyOptions): string {
  const model = run === undefined || run.model === '' ? '' : ` (${code(run.model)})`;
  const link = pageUrl === undefined ? '' : ` [Every step of the session](${encodeURI(pageUrl)}).`;
  return `---\n<sub>A language model${model} wrote this change. People review it and decide whether it is merged.${link}</sub>`;
}
