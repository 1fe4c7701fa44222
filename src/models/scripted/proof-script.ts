// What the scripted model says, reply by reply: a question, a new file, its pull request, and a correction after the review.

/** A reply: a sentence, and one call. */
export interface ScriptedReply {
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
    tool: 'reply_to_thread',
    arguments: { thread: 1, body: 'Changed.' },
  },
  {
    text: 'The review is answered.',
    tool: 'finish',
    arguments: { summary: 'The second line says good evening now.', outcome: 'done' },
  },
];

/** `path`: of the file that the issue asks for. */
export const proofScript = (path: string): readonly ScriptedReply[] => [
  ...beforeReview(path),
  ...afterReview(path),
];
