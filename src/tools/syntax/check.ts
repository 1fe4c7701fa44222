import { cutCharacters } from '../../lib/text/text.ts';
import { TaskThread } from '../../lib/threads/task-thread.ts';
import { dialectsOf, isTemplate, type Dialect } from './dialect.ts';

const MAX_CHARACTERS = 300_000;
const MAX_FAULT_CHARACTERS = 300;
const MAX_MS = 1000;
const MAX_IDLE_MS = 5000;
const MAX_HEAP_MB = 128;

export interface SyntaxQuestion {
  readonly dialects: readonly Dialect[];
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * A warning line if a change broke the syntax of a file; empty if the syntax is correct, or was wrong
 * before. Must not throw; returns within about a second.
 * @param before `undefined` if there was no file
 */
export async function syntaxWarning(
  path: string,
  before: string | undefined,
  after: string,
): Promise<string> {
  const dialects = dialectsOf(path);
  const isLong = after.length + (before?.length ?? 0) > MAX_CHARACTERS;
  if (dialects.length === 0 || isLong || (before === undefined && isTemplate(dialects, after)))
    return '';
  const fault = await faultIn({ dialects, before, after });
  if (fault === undefined) return '';
  return `\nWarning: the file does not parse now: ${cutCharacters(fault, MAX_FAULT_CHARACTERS, '…')}`;
}

type SyntaxThread = TaskThread<SyntaxQuestion, string | undefined>;

let thread: SyntaxThread | undefined;
let idle: NodeJS.Timeout | undefined;
let last: Promise<unknown> = Promise.resolve();

/** The answers come one after the other. */
function faultIn(question: SyntaxQuestion): Promise<string | undefined> {
  const answer = last.then(() => ask(question));
  last = answer;
  return answer;
}

/**
 * Runs third-party parsers on untrusted texts in a thread, which is terminated when they hang or fail, and
 * when it is idle. Without an answer nothing is known to be wrong.
 */
async function ask(question: SyntaxQuestion): Promise<string | undefined> {
  clearTimeout(idle);
  if (thread === undefined || thread.hasEnded) thread = startThread();
  const asked = thread;
  idle = setTimeout(() => void asked.end(), MAX_IDLE_MS).unref();
  let fault: string | undefined;
  try {
    await asked.perform(question, (part) => (fault = part));
  } catch {
    // A parser that failed on one text may be unusable for the next.
    await asked.end();
  }
  return fault;
}

const startThread = (): SyntaxThread =>
  new TaskThread({
    name: 'syntax',
    entry: new URL('./thread.ts', import.meta.url),
    maxHeapMb: MAX_HEAP_MB,
    maxSilenceMs: MAX_MS,
    env: {},
    // Node's TypeScript parser warns that it is experimental.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
