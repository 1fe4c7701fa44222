import type { Protocol, Reading, ReceivedReply } from '../protocol.ts';
import { ANSWER_WAS_CUT, CORRECTIONS, FAULTS } from '../prompts/replies.ts';
import { jsonProtocol } from './json.ts';
import {
  answered,
  failedEnd,
  faulty,
  retold,
  said,
  shownThought,
  user,
  withoutThinking,
  wordsOfReply,
} from './telling.ts';

function read({ text, reasoning, stop }: ReceivedReply): Reading {
  const thought = shownThought(reasoning);
  const answer = withoutThinking(text).trim();
  if (answer === '') return faulty(stop === 'cut' ? FAULTS.cut : FAULTS.wordless, thought);
  return answered(stop === 'cut' ? answer + ANSWER_WAS_CUT : answer, thought);
}

/** For models, or owners, that want no tools: whatever the model says is its answer. */
export const none: Protocol = {
  name: 'none',
  instructions: () => '',
  specs: () => [],
  read,
  messages: (turn) => {
    const { protocol, answer, fault } = turn.reply;
    const isOwn = protocol === 'none';
    if (fault !== null) {
      return [isOwn ? said(turn) : retold(wordsOfReply(turn)), user(CORRECTIONS.none(fault))];
    }
    if (answer === null) return jsonProtocol.messages(turn);
    return [isOwn ? said(turn) : retold(answer), ...failedEnd(turn)];
  },
};
