// The task that every contender is given: so many turns, each of which writes a 2 KB file through
// one tool call, and a last reply without a call.

export const MODEL = 'stub';
export const SYSTEM =
  'You write the files that you are asked for. Write each with one call of write_file, and say so when all are written.';
export const PROMPT = 'Write the files file-000.txt and on, one in each turn.';

export const KEY = 'sk-no-key-is-needed-here';
/** What our redactor looks for: as many as a service has. */
export const SECRETS = [KEY, 'a-webhook-secret-of-some-length', 'a-private-key'];

export const TOOL = {
  name: 'write_file',
  description: 'Creates a file, or replaces its whole content.',
  path: 'From the root of the repository, like "src/main.ts"',
  content: 'The whole new content of the file',
} as const;

export const FILE_BYTES = 2048;

export const pathOf = (turn: number): string => `file-${String(turn).padStart(3, '0')}.txt`;

/** Prose and line breaks, as an escaped argument has them. */
export function contentOf(turn: number): string {
  const line = `Turn ${turn} writes "this line" into its file, and a line break after it.\n`;
  return line.repeat(Math.ceil(FILE_BYTES / line.length)).slice(0, FILE_BYTES);
}

/** What the tool answers, in the words of our own. */
export const doneWith = (path: string, bytes: number): string =>
  `Created ${JSON.stringify(path)}, ${bytes} bytes.`;

/** What a contender is started with. */
export interface Task {
  /** Chat Completions; the stub streams below this address, or answers whole: see `Form`. */
  readonly baseUrl: string;
  readonly turns: number;
  /** Where the files go. */
  readonly directory: string;
  /** For the database, created when it is first needed. */
  readonly dataDir: string;
}

/** How a contender asks for its answers: as server-sent events, or as one JSON object. */
export type Form = 'streamed' | 'whole';
