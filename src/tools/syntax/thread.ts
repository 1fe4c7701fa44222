// The entry of the syntax thread.
import { parentPort } from 'node:worker_threads';
import type { SyntaxAnswer, SyntaxQuestion } from './check.ts';
import { PARSERS } from './parsers.ts';

/** Only a text that parsed before, or was not there, can be said to have been broken. */
function answer({ id, dialects, before, after }: SyntaxQuestion): SyntaxAnswer {
  const dialect = dialects.find(
    (one) => before === undefined || PARSERS[one](before) === undefined,
  );
  return { id, fault: dialect === undefined ? undefined : PARSERS[dialect](after) };
}

// What is thrown ends the thread: a parser that broke on one text may be of no use for the next.
parentPort?.on('message', (question: SyntaxQuestion) => {
  parentPort?.postMessage(answer(question));
});
