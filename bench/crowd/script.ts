// One change, in four turns.
import type { Script } from '../../packages/local-github/src/model/script.ts';

const say = (plan: string, tool_name: string, given: Record<string, unknown>) => ({
  say: { plan, tool_calls: [{ tool_name, arguments: given }] },
});

const TURNS = [
  say('I read the list.', 'read_file', { path: 'words.txt' }),
  say('I add the word.', 'write_file', { path: 'words.txt', content: 'one\ntwo\n' }),
  say('I read it again.', 'read_file', { path: 'words.txt' }),
  say('That is all.', 'finish', { summary: 'The list has the word two.', outcome: 'done' }),
];

/** A model that takes this long for a turn. */
export const scriptOf = (turnMs: number): Script => ({
  turns: TURNS.map((turn) => ({ ...turn, delay_ms: turnMs })),
});
