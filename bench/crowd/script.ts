// One change, in four turns.
import type { Script } from '../../playground/model/script.ts';

const TURN_MS = 500;

const turn = (plan: string, tool_name: string, given: Record<string, unknown>) => ({
  say: { plan, tool_calls: [{ tool_name, arguments: given }] },
  delay_ms: TURN_MS,
});

export const SCRIPT: Script = {
  turns: [
    turn('I read the list.', 'read_file', { path: 'words.txt' }),
    turn('I add the word.', 'write_file', { path: 'words.txt', content: 'one\ntwo\n' }),
    turn('I read it again.', 'read_file', { path: 'words.txt' }),
    turn('That is all.', 'finish', { summary: 'The list has the word two.', outcome: 'done' }),
  ],
};
