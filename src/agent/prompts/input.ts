// What people have written since the last request, as the model reads it.
import type { AdoptedPullRequest } from '../../contracts/pull-request.ts';
import type { AskedFor, Intent, Person } from '../../contracts/intent.ts';
import type { ImageType, NumberedImage } from '../../contracts/image.ts';
import type {
  BackgroundComment,
  CommentThread,
  EarlierComment,
  LineComment,
  ShownIssue,
  ShownText,
} from '../../contracts/shown-text.ts';
import type { AnswerDeadline, AskedQuestion } from '../../contracts/effect.ts';
import { cutCharacters, quoteLines } from '../../lib/text/text.ts';
import { checksToFix, type KnownChecks } from './checks.ts';
import { ABOUT_IMAGES, MessageImages } from './images.ts';
import { askedFor, backgroundHeading, heading, headingLine, quotedLines } from './item-heading.ts';
import { shownPath, withoutInvisible } from '../../lib/text/invisible.ts';

/** What someone wrote or did. */
interface Item {
  readonly seq: number;
  readonly intent: Intent;
  readonly sender: Person;
  readonly approves: 'plan' | 'workflows' | undefined;
  readonly ask: AskedFor | undefined;
  readonly isAlone: boolean;
  /** What people see of its text; `undefined` if it has none. */
  readonly shown: ShownText | undefined;
  readonly lineComments: readonly LineComment[];
  readonly earlier: readonly EarlierComment[];
  /** The model has read it among the earlier comments. */
  readonly wasRead: boolean;
  readonly answersOnly: boolean;
  /** The issue that it asks to work on, if the model has not read that yet. */
  readonly issueText: ShownIssue | undefined;
}

/** The question that the model asked last. */
interface Question {
  /** The service asked it, not the model. */
  readonly about: 'push' | undefined;
  readonly items: readonly AskedQuestion[];
  readonly expired: AnswerDeadline['action'] | undefined;
}

type Thread = Input['thread'];

/** What became of the suggestion of a comment. */
interface TakenSuggestion {
  readonly comment: number;
  readonly outcome: SuggestionWords;
}

/** What is new in a session. */
interface Input {
  readonly thread: {
    readonly issue: number;
    /** The pull request of someone else, which takes the place of the issue. */
    readonly adopted: AdoptedPullRequest | undefined;
    /** The folder of a machine, in which there is no issue either. */
    readonly folder?: object | undefined;
    /** A person works on the issue at a terminal. */
    readonly byHand?: object | undefined;
  };
  readonly requests: {
    readonly unread: readonly Item[];
    /** Said since then by authors who may not ask. */
    readonly background?: readonly BackgroundComment[];
  };
  readonly reviews: {
    readonly suggestions: readonly TakenSuggestion[];
    readonly threads: readonly { readonly root: number; readonly number: number }[];
  };
  readonly work: { readonly workspaceReplaced: boolean };
  readonly checks?: KnownChecks;
  readonly waiting: { readonly question: Question | undefined };
}

function issueOf(thread: Thread, { issueText: about, sender }: Item, images: MessageImages) {
  if (about === undefined) return [];
  return [askedFor(thread, sender.login, about.title, about.by), quotedLines(images.told(about))];
}

const earlierOf = (
  { adopted }: Thread,
  { earlier: comments }: Item,
  images: MessageImages,
): string[] =>
  comments.flatMap(({ author, body, images: all = [], isBackground }) => {
    const text = earlierText(body);
    // Of a text that is cut, those before the cut.
    const before = all.filter(({ from, to }) => text.slice(from, to) === body.slice(from, to));
    const on = adopted === undefined ? 'issue' : 'pull_request';
    return [
      isBackground === true
        ? backgroundHeading('Earlier comment', author, on)
        : `# Earlier comment by @${author} on the ${on === 'issue' ? 'issue' : 'pull request'}`,
      quotedLines(images.told({ body: text, images: before })),
    ];
  });

function itemOf(
  { thread, reviews: { threads, suggestions } }: Pick<Input, 'thread' | 'reviews'>,
  item: Item,
  isLeftOut: boolean,
  images: MessageImages,
): string[] {
  const suggestionOf = (id: number) => suggestions.find(({ comment }) => comment === id)?.outcome;
  const numberOf = (root: number) => threads.find((one) => one.root === root)?.number;
  const { intent, issueText, shown, lineComments } = item;
  const isIssue = intent.kind === 'start';
  if (isLeftOut && !isIssue) return [leftOut(item)];
  const text = isIssue ? issueText : shown;
  return [
    heading(thread, item),
    text === undefined ? '' : quotedLines(images.told(text)),
    ...lineComments.map((comment) => lineComment(comment, { numberOf, suggestionOf, images })),
  ];
}

const LONGEST_EARLIER = 10_000;

/** What the model reads of an earlier comment. */
export const earlierText = (body: string): string => cutCharacters(body.trim(), LONGEST_EARLIER);

const MOVED =
  '(The workspace is now a fresh clone: files may differ from what you read, and your uncommitted changes are lost. Read files again before you edit them.)';

/** The text of the issue counts whoever labelled it. */
const leftOut = ({ sender }: Item): string =>
  `(What @${sender.login} wrote is left out: they may no longer request work here.)`;

/** What a message left out, by `seq`: those whose sentence it has. */
export const withdrawnIn = (text: string, items: readonly Item[]): ReadonlySet<number> => {
  const lines = new Set(text.split('\n'));
  return new Set(items.filter((item) => lines.has(leftOut(item))).map(({ seq }) => seq));
};

interface ReadBy {
  /** The `seq` of what its sender may not say any more. */
  readonly withdrawn?: ReadonlySet<number>;
  /** The images that the model can see. */
  readonly imageTypes?: ReadonlySet<ImageType>;
  /** Who was asked and has said nothing yet, if this comes from others who ask something. */
  readonly stillAsked?: string | undefined;
}

interface InputMessage {
  readonly text: string;
  readonly images?: readonly NumberedImage[];
}

/** The input is journaled as text, so its form may change at any time. A `Session` is an `Input`. */
export function inputMessage(
  input: Input,
  { withdrawn = new Set(), imageTypes = new Set(), stillAsked }: ReadBy = {},
): InputMessage {
  const { thread, requests, work, waiting } = input;
  const { unread: items } = requests;
  const images = new MessageImages(imageTypes);
  const said = items.flatMap((item) => {
    const own = (): string[] => itemOf(input, item, withdrawn.has(item.seq), images);
    return item.intent.kind === 'start'
      ? [...own(), ...earlierOf(thread, item, images)]
      : [...issueOf(thread, item, images), ...earlierOf(thread, item, images), ...own()];
  });
  const background = (requests.background ?? []).flatMap(({ author, on, ...text }) => [
    backgroundHeading('Comment', author, on),
    quotedLines(images.told(text)),
  ]);
  const { attached } = images;
  const about = attached.length === 0 ? '' : ABOUT_IMAGES;
  const answers = answersWanted(thread, items);
  const reminder = questionReminder(waiting.question, items.length > 0, stillAsked);
  const checks = input.checks === undefined ? '' : checksToFix(input.checks);
  const text = [
    ...background,
    ...said,
    checks,
    answers,
    about,
    reminder,
    work.workspaceReplaced ? MOVED : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
  return attached.length === 0 ? { text } : { text, images: attached };
}

/** Of threads on someone else's pull request, only those of a review that names us want one. */
function answersWanted({ adopted }: Thread, items: readonly Item[]): string {
  const about = items.filter(({ ask }) => adopted === undefined || ask !== undefined);
  const hasThreads = about.some(({ lineComments }) =>
    lineComments.some(({ thread }) => thread !== undefined),
  );
  if (!hasThreads) return '';
  return adopted?.fork === undefined ? `(${ANSWER_THREADS} ${ONE_PUSH})` : `(${ANSWER_THREADS})`;
}

const ANSWER_THREADS =
  'Answer each of these threads once with reply: what you changed, or why not. The replies are published after the push.';
const ONE_PUSH = 'All changes of this round are pushed together when you finish.';

const ANSWERED =
  'Answers refer to questions by number or by topic. An unanswered question takes its default. Ask it again only if it has none, or if too much depends on it.';
const UNANSWERED =
  'Continue with them. If a question has none, choose what is easiest to change later. Say in your summary what was decided without an answer.';

const STILL_OPEN =
  'That stays open. Only answer what is asked above, with finish and nothing_to_do. If it asks for a change, say that you make it once you have the answer.';

/**
 * Reminds the model of its questions, by number, and of what applies to unanswered ones. `isAnswered`: people
 * have commented since, others than `stillAsked` if that is given.
 */
function questionReminder(
  question: Question | undefined,
  isAnswered: boolean,
  stillAsked?: string,
): string {
  if (
    question === undefined ||
    question.about !== undefined ||
    (!isAnswered && question.expired !== 'defaults')
  )
    return '';
  const { items } = question;
  const many = items.length > 1;
  const list = items.map(
    ({ text, proposedAnswer }, index) =>
      `${many ? `${index + 1}. ` : ''}${brief(text)}\n   Default: ${proposedAnswer === undefined ? 'none' : brief(proposedAnswer)}`,
  );
  if (stillAsked !== undefined)
    return `(@${stillAsked} has not answered what you asked:\n${list.join('\n')}\n${STILL_OPEN})`;
  const opening = isAnswered
    ? `You asked ${many ? `${items.length} questions` : 'this'}. The answers above may not cover everything:`
    : `No one answered your questions in time, so the defaults apply:`;
  return `(${opening}\n${list.join('\n')}\n${isAnswered ? ANSWERED : UNANSWERED})`;
}

/** Of a question, and of its default. */
const LONGEST_REMINDER = 600;

const brief = (text: string): string =>
  cutCharacters(headingLine(text).trim(), LONGEST_REMINDER, '…');

// A comment on lines of the pull request, as the model reads it.

type SuggestionWords = keyof typeof SUGGESTIONS;

interface Told {
  /** The number of a thread, by the id of its first comment. */
  readonly numberOf: (root: number) => number | undefined;
  /** What became of the suggestion of a comment, by its id. */
  readonly suggestionOf: (comment: number) => SuggestionWords | undefined;
  readonly images: MessageImages;
}

function lineComment(
  { path, line, thread, ...text }: LineComment,
  { numberOf, suggestionOf, images }: Told,
): string {
  const own = quoteLines(images.told(text).trim());
  const number = thread === undefined ? undefined : numberOf(thread.root);
  if (thread === undefined || number === undefined)
    return `- ${shownPath(path)}${line === null ? '' : `, line ${line}`}:\n${own}`;
  const head = `- Thread ${number}: ${shownPath(path)}${placeOf(line, thread)}${stateOf(thread)}`;
  const outcome = suggestionOf(thread.comment);
  const taken = outcome === undefined ? '' : SUGGESTIONS[outcome];
  return [head, hunkOf(line, thread), ...earlierRemarks(thread), own, taken]
    .filter((part) => part !== '')
    .join('\n');
}

function placeOf(line: number | null, { firstLine, side }: CommentThread): string {
  if (line === null) return ' as a whole';
  const lines =
    firstLine === undefined || firstLine === line
      ? `line ${line}`
      : `lines ${firstLine} to ${line}`;
  return `, ${lines}${side === 'old' ? ' of the old version' : ''}`;
}

const stateOf = ({ isOutdated, isResolved }: CommentThread): string =>
  (isOutdated ? '; outdated: these lines were changed since' : '') +
  (isResolved ? '; the thread was resolved before' : '');

/** Indented, so that none of its lines can pass for ours. */
const hunkOf = (line: number | null, { hunk }: CommentThread): string =>
  line === null || hunk.trim() === '' ? '' : withoutInvisible(hunk).replaceAll(/^/gm, '    ');

function earlierRemarks({ earlier, leftOut }: CommentThread): string[] {
  const said = earlier.map(
    ({ author, body }) =>
      `${author === undefined ? 'You said before' : `@${author} said before`}:\n${quoteLines(body.trim())}`,
  );
  return [
    ...(leftOut === 0 ? [] : [`(Earlier comments in this thread that are left out: ${leftOut}.)`]),
    ...said,
    ...(earlier.length === 0 ? [] : ['Now:']),
  ];
}

const LEFT = 'so the suggestion was not applied: decide what to do';

const SUGGESTIONS = {
  applied: '(The suggestion is applied as it is written: the file has these lines already.)',
  several: `(There are several suggestions, ${LEFT}.)`,
  hidden: `(Not all of the suggestion can be seen, ${LEFT}.)`,
  changed: `(The lines are not as they were, ${LEFT}.)`,
  overlaps: `(Another suggestion changed the same lines, ${LEFT}.)`,
  'not allowed': `(The file is gone or must not be changed, ${LEFT}.)`,
} as const;
