// The answers of the person at the terminal.
import { createInterface } from 'node:readline/promises';
import type { AnswerByHand } from '../../app/by-hand/session-by-hand.ts';
import type { Session } from '../../session/session.ts';
import type { ProgressPrinter } from '../progress.ts';

interface AnswerOptions {
  readonly progress: ProgressPrinter;
  readonly isYes: boolean;
  readonly stopped: AbortSignal;
}

/** What the agent is told if a question without a proposal is left to it. */
const NO_PROPOSAL =
  'Decline it if an MCP server asks. Otherwise, decide yourself and say so in the summary.';

/** `undefined`: nobody is there to answer. */
export const answersFrom =
  (asking: AnswerOptions) =>
  async (waiting: Session['waiting']): Promise<AnswerByHand | undefined> => {
    const { progress } = asking;
    progress.rest();
    const answer =
      waiting.proposal === undefined ? await answered(waiting, asking) : await approved(asking);
    if (answer !== undefined) progress.begin();
    return answer;
  };

async function answered(
  { question }: Session['waiting'],
  asking: AnswerOptions,
): Promise<AnswerByHand | undefined> {
  const items = question?.items ?? [];
  const answers: string[] = [];
  for (const { text, proposedAnswer } of items) {
    const [proposal, enter] =
      proposedAnswer === undefined
        ? ['No answer is proposed.', 'to leave it to the agent']
        : [`Proposed answer: ${proposedAnswer}`, 'for the proposed one'];
    asking.progress.say(`\nQuestion: ${text}\n${proposal}`);
    const line = asking.isYes ? '' : await lineFrom(`Your answer (press Enter ${enter}): `, asking);
    if (line === undefined) return undefined;
    answers.push(line.trim() || (proposedAnswer ?? NO_PROPOSAL));
  }
  const text = answers.map((one, at) => (answers.length > 1 ? `${at + 1}. ${one}` : one));
  return { text: text.join('\n') };
}

async function approved(asking: AnswerOptions): Promise<AnswerByHand | undefined> {
  if (asking.isYes) return { approved: true };
  const line = await lineFrom(
    'Carry out this plan? (Press Enter for yes, or say what to change): ',
    asking,
  );
  if (line === undefined) return undefined;
  return /^(?:|y|yes)$/i.test(line.trim()) ? { approved: true } : { text: line.trim() };
}

async function lineFrom(prompt: string, { stopped }: AnswerOptions): Promise<string | undefined> {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
  if (!isTerminal || stopped.aborted) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // In a prompt, the terminal hands Ctrl-C to whoever reads the line.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    return await Promise.race([lines.question(prompt, { signal: stopped }), ended]);
  } catch (error) {
    if (stopped.aborted) return undefined;
    throw error;
  } finally {
    lines.close();
  }
}
