// Notices that the service adds between two turns.
import { shownPath } from '../../lib/text/invisible.ts';

export interface NearlyUsed {
  /** "50 model replies per run" */
  readonly name: string;
  readonly percent: number;
}

export const wrapUp = ({ name, percent }: NearlyUsed): string =>
  `(${percent} % of the limit of ${name} is used. Wrap up now: finish the current step, skip the rest, commit, and call finish with the outcome done or partial, and a summary that says what is done and what is left.)`;

export const GO_ON =
  '(There is room in the limits again: the earlier note to wrap up no longer applies.)';

/** How the run before this one ended, if it did not end by its own call. */
export interface LastRun {
  readonly kind: 'stopped' | 'limit' | 'failed';
  /** A sentence of ours; of a failure it may quote a server, and is left out. */
  readonly reason: string;
  /** The commit that saved what was changed and not committed. */
  readonly saved: string | undefined;
  /** Its changes are uncommitted ones again. */
  readonly isLaidOut: boolean;
  /** Limits that are not what they were: "80 turns (before: 50)". */
  readonly changed: readonly string[];
  /** The branch: see `branchWords`. */
  readonly branch: string;
}

export function lastRunNotice({
  kind,
  reason,
  saved,
  isLaidOut,
  changed,
  branch,
}: LastRun): string {
  const how =
    kind === 'failed'
      ? 'failed before its work was done.'
      : `${kind === 'stopped' ? 'was stopped' : 'ended'}: ${reason}`;
  const where = isLaidOut
    ? 'in your files, still uncommitted'
    : `commit ${saved?.slice(0, 10)} on ${branch}`;
  const parts = [
    `The last run ${how}`,
    ...(saved === undefined ? [] : [`What it had changed and not committed is ${where}.`]),
    ...(changed.length === 0 ? [] : [`This run has other limits: ${changed.join(', ')}.`]),
  ];
  return `(${parts.join(' ')})`;
}

export const PLAN_FIRST =
  '(In this repository, people approve the plan first. Until they do, you can read and ask, but not change or run anything. Find out what needs to be done, then call update_plan with all steps, so that people can review them. That ends this run. Their answer comes as a message. If they want something different, call update_plan again. If nothing needs to be done, or it cannot be done, call finish and say why.)';

/** `thread`: its number. */
export const threadResolved = (thread: number): string =>
  `(Review thread ${thread} is resolved: nobody expects an answer there.)`;

/** `pullRequest`: its number. */
export const basedOnNotice = (pullRequest: number): string =>
  `(Your branch begins at the branch of pull request #${pullRequest}, on which this work is based. Its changes are in the files that you read, and belong to that pull request: yours shows only what you add.)`;

/** `command`: of a few plain words, because it may be from a file of the repository. */
/** `missing`: what it runs that is not installed, if that is known. */
export const testCommandNotice = (command: string, missing: string | undefined): string =>
  missing === undefined
    ? `(run_tests runs \`${command}\`.)`
    : `(run_tests would run \`${command}\`, but ${missing} is not installed: there is no node_modules, and commands have no network. Write tests all the same, check in another way, and say so in the summary.)`;

const FILES = '\n\n(The files of the repository before the change:)\n';

/** `list`: may be empty; indented, so that no name in it can pass for a sentence of ours. */
export const withFileList = (text: string, list: string): string =>
  list === '' ? text : text + FILES + list;

/** What `withFileList` added to a text. */
export function fileListIn(text: string): string {
  const at = text.lastIndexOf(FILES);
  return at === -1 ? '' : text.slice(at + FILES.length);
}

/** A text as it was before `withFileList`. */
export function withoutFileList(text: string): string {
  const at = text.lastIndexOf(FILES);
  return at === -1 ? text : text.slice(0, at);
}

/** `directories`: those that the workspace does not have. */
export const sparseNotice = (directories: readonly string[]): string =>
  `(The workspace has only a part of this large repository. Outside of it are ${directoriesIn(directories)}. There you can list directories and read files; nothing there can be changed or searched, and commands do not see it. Commits leave all of it as it is.)`;

function directoriesIn(directories: readonly string[]): string {
  const named = directories.slice(0, MAX_NAMED).map((path) => `\`${shownPath(path)}/\``);
  const more = directories.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more directories` : ''}`;
}

const MAX_NAMED = 20;

/** What a person who wants one run after another says once a run is done. */
export const CONTINUE =
  'Do what of the task is still left, one step of it in this run. If nothing is left, call finish with the outcome nothing_to_do.';

/** `pullRequest`: its number; `undefined`: none was opened yet. */
export const continuedNotice = (pullRequest: number | undefined): string =>
  `(An earlier run worked on this issue: its commits are on your branch${pullRequest === undefined ? '' : `, and pull request #${pullRequest} is open. Comments on it are among the earlier comments`}. Read what is there before you change anything, and continue. If nothing is left to do, call finish and say so.)`;

/** `form`: the repository's template, from the file `path`. */
export const pullRequestTemplate = (path: string, form: string): string =>
  `(Pull requests in this repository use the template in \`${path}\`. Give yours a body that fills it in: keep its headings, answer what its HTML comments ask and leave the comments out, and leave boxes for things that were not done unchecked. The first line of a summary is the title, so begin the form below it. The template:)\n\n${form}`;

/** How the instructions for a folder begin; a blank line and their text follow. */
export const folderInstructions = (folder: string, path: string): string =>
  `Instructions for the folder \`${shownPath(folder)}\`, from \`${shownPath(path)}\` on the default branch. They add to those of the repository and take precedence over them.`;

export const notAFile = (path: string): string =>
  `(Not shown: \`${shownPath(path)}\` is not a file, or is too long to read at once.)`;

export const notShown = (why: string): string => `(Not shown: ${why})`;

/** `word`: as the file that imports it writes it. */
export const importNotShown = (word: string, why: string): string =>
  `(The import \`${shownPath(word)}\` is not shown: ${why}.)`;

export const noRoomFor = (path: string): string =>
  `(Not shown, because the files together would be too long. See ${restOf(path)}.)`;

export const cutAfter = (path: string, kept: number, bytes: number): string =>
  `(Cut here, after ${kept} of ${bytes} bytes. For the rest, see ${restOf(path)}.)`;

const restOf = (path: string): string => `\`${shownPath(path)}\` if it applies to your work`;
