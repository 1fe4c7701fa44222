// A model that follows a script. The number of its replies in the conversation says which one is next, so a request that is
// repeated, by another process too, gets the same reply.
import type { ModelRequest } from '../../contracts/model.ts';
import { TellPerson } from '../../lib/errors.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';

const ASKED_PATH = /issuewright-proof\/[a-z\d-]{1,40}\.txt/;
const NOT_A_PROOF =
  'The model `scripted:proof` plays the script of `issuewright prove` and can do nothing else. Choose another one with `model` in `.github/issuewright.yml`.';
/** A rough count, since nothing is charged. */
const BYTES_A_TOKEN = 4;

export const scriptedAdapter: ModelAdapter = {
  callsTools: true,
  imageTypes: [],
  reply: async (request) => nextReply(request),
};

function nextReply({ messages, tools }: ModelRequest): UnpricedReply {
  // A review of the change, a summary, or a test of the set-up.
  if (tools.length === 0) return replyWith('nothing', []);
  const first = messages.find(({ role }) => role === 'user');
  const [path] = ASKED_PATH.exec(first?.role === 'user' ? first.text : '') ?? [];
  if (path === undefined) throw new TellPerson(NOT_A_PROOF);
  const at = messages.filter(({ role }) => role === 'assistant').length;
  const next = proofScript(path)[at];
  if (next === undefined)
    throw new TellPerson(
      'The script of `issuewright prove` has ended. Run it again for another proof.',
    );
  const call = { id: `call_${at + 1}`, tool: next.tool, arguments: next.arguments };
  return replyWith(next.text, [call]);
}

function replyWith(text: string, calls: UnpricedReply['calls']): UnpricedReply {
  const output = Math.ceil(Buffer.byteLength(text + JSON.stringify(calls)) / BYTES_A_TOKEN);
  const usage = { input: 0, cached: 0, written: 0, output, reasoning: 0 };
  return { text, reasoning: '', calls, stop: 'end', usage, native: null };
}

/** A reply: a sentence, and one call. */
interface ScriptedReply {
  readonly text: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The texts that the proof looks for on GitHub. */
export const PROOF_TEXTS = {
  question: 'Which greeting should the file begin with?',
  proposedAnswer: 'Good morning',
  firstLine: 'Good morning',
  secondLine: 'Good night',
  correctedLine: 'Good evening',
  pullRequest: 'Add a file of greetings',
} as const;

/** Until the pull request is ready for a review. */
const beforeReview = (path: string): readonly ScriptedReply[] => [
  {
    text: 'I look at what is there.',
    tool: 'list_directory',
    arguments: { path: '.' },
  },
  {
    text: 'The issue leaves the first line open, so I ask.',
    tool: 'ask_question',
    arguments: {
      questions: [{ question: PROOF_TEXTS.question, default: PROOF_TEXTS.proposedAnswer }],
    },
  },
  {
    text: 'I write the file.',
    tool: 'write_file',
    arguments: { path, content: `${PROOF_TEXTS.firstLine}\n${PROOF_TEXTS.secondLine}\n` },
  },
  {
    text: 'I commit it.',
    tool: 'commit',
    arguments: { message: 'Add a file of greetings' },
  },
  {
    text: 'I open the pull request.',
    tool: 'create_pull_request',
    arguments: {
      title: PROOF_TEXTS.pullRequest,
      body: 'Part of a proof that Issuewright works on this GitHub. A script wrote it, not a model.',
    },
  },
  {
    text: 'It is ready for a review.',
    tool: 'finish',
    arguments: { summary: 'The file has two greetings.', outcome: 'done' },
  },
];

const afterReview = (path: string): readonly ScriptedReply[] => [
  {
    text: 'I read the file again.',
    tool: 'read_file',
    arguments: { path },
  },
  {
    text: 'I change the line.',
    tool: 'edit_file',
    arguments: {
      path,
      edits: [{ old_text: PROOF_TEXTS.secondLine, new_text: PROOF_TEXTS.correctedLine }],
    },
  },
  {
    text: 'I commit the change.',
    tool: 'commit',
    arguments: { message: 'Say good evening' },
  },
  {
    text: 'I say so where it was asked.',
    tool: 'reply',
    arguments: { to: '1', text: 'Changed.' },
  },
  {
    text: 'The review is answered.',
    tool: 'finish',
    arguments: { summary: 'The second line says good evening now.', outcome: 'done' },
  },
];

/** `path`: of the file that the issue asks for. */
const proofScript = (path: string): readonly ScriptedReply[] => [
  ...beforeReview(path),
  ...afterReview(path),
];
