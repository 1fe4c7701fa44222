// A model that does what it is told, in whatever order it is told: it reads the conversation, and follows no script.
import type { Call, Message } from '../../src/contracts/model.ts';

type Wanted = Pick<Call, 'tool' | 'arguments'>;

const call = (tool: string, args: Record<string, unknown>): Wanted => ({ tool, arguments: args });

/** In the text of an issue: the model asks before it begins. */
export const ASK_FIRST = 'Ask me which way.';
/** In the text of an issue: the first version does not pass the checks. */
export const BROKEN_AT_FIRST = 'Leave a TODO.';
export const QUESTION = 'Which way?';

/** What CI reads: it fails while the file has a TODO. */
export const CHECKED = 'checked.md';
/** What people change on the base branch too. */
export const SHARED = 'shared.md';

/** What it writes for the issue or pull request with this title alone. */
const folderOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');
/** What people comment on. */
export const reviewedOf = (title: string): string => `${folderOf(title)}/reviewed.md`;

const CONFLICTS = 'could not merge all of it';

interface Asked {
  /** Of the issue, or of the pull request. */
  readonly title: string;
  readonly messages: readonly Message[];
  readonly dice: number;
}

/** Its next calls. Each reply changes something, so that each round has something to push. */
export function nextCalls({ title, messages, dice }: Asked): readonly Wanted[] {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const all = messages.map(textOf).join('\n');
  const news = messages
    .slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
    .map(textOf)
    .join('\n');
  if (turn === 0 && all.includes(ASK_FIRST))
    return [call('ask_question', { questions: [{ question: QUESTION, default: 'The first.' }] })];
  if (mayOnlyLook(messages))
    return [call('finish', { summary: `Looked in turn ${turn}`, outcome: 'nothing_to_do' })];
  const replies = unansweredThreads(messages).map((thread) =>
    call('reply', { to: `${thread}`, text: `Seen in turn ${turn}.` }),
  );
  if (news.includes(CONFLICTS))
    return [
      ...replies,
      ...conflictsIn(news).map((path) =>
        call('write_file', { path, content: `Merged in turn ${turn}.\n` }),
      ),
      call('commit', { message: `Merge in turn ${turn}` }),
    ];
  const fixes = all.split('# Checks failed on commit').length - 1;
  const isBroken = fixes === 0 && all.includes(BROKEN_AT_FIRST);
  const work = [
    call('write_file', { path: CHECKED, content: isBroken ? 'TODO\n' : `Fixed ${fixes} times.\n` }),
    call('write_file', { path: `${folderOf(title)}/${turn}.md`, content: `Turn ${turn}.\n` }),
    ...(turn < 2 ? beginning(title) : []),
  ];
  const finish = call('finish', { summary: `Finish in turn ${turn}` });
  // What comes in between the two replies is part of the same run.
  const isHalf = dice % 3 === 0 && !wasHalf(messages);
  if (!isHalf) return [...replies, ...work, finish];
  // In a round of review, this is pushed with what the next reply changes.
  const commit = call('commit', { message: `Commit in turn ${turn}` });
  return [...replies, ...work, ...(replies.length > 0 ? [commit] : [])];
}

/** In this run, because people did not allow it to push. */
function mayOnlyLook(messages: readonly Message[]): boolean {
  const texts = messages.map(textOf);
  const began = texts.findLastIndex((text) => text.includes('# The commits of pull request'));
  const asked = texts.findLastIndex((text) => text.includes('nobody said yes'));
  return asked !== -1 && messages.slice(asked, began).every(({ role }) => role !== 'assistant');
}

const conflictsIn = (news: string): readonly string[] =>
  [...news.matchAll(/^## (\S+) \(with/gm)].map(([, path = '']) => path);

const beginning = (title: string): Wanted[] => [
  call('write_file', {
    path: reviewedOf(title),
    content: Array.from({ length: 9 }, (_none, line) => `Line ${line}.\n`).join(''),
  }),
  call('write_file', { path: SHARED, content: 'Ours.\n' }),
];

const wasHalf = (messages: readonly Message[]): boolean => {
  const last = messages.findLast((message) => message.role === 'assistant');
  return last?.calls.every(({ tool }) => tool !== 'finish') === true;
};

/** Those that people wrote in since it last replied to them. */
function unansweredThreads(messages: readonly Message[]): readonly number[] {
  const open = new Set<number>();
  for (const message of messages) {
    if (message.role === 'user')
      for (const [, number] of message.text.matchAll(/^- Thread (\d+): /gm))
        open.add(Number(number));
    if (message.role === 'assistant')
      for (const { tool, arguments: args } of message.calls)
        if (tool === 'reply') open.delete(Number((args as { to: string }).to));
  }
  return [...open];
}

export function textOf(message: Message): string {
  if (message.role === 'user') return message.text;
  return message.role === 'results' ? message.results.map(({ output }) => output).join('\n') : '';
}
