// The entry point of the syntax thread.
import { parentPort } from 'node:worker_threads';
import type { SyntaxAnswer, SyntaxQuestion } from './check.ts';
import { PARSERS } from './parsers.ts';

/** A change broke the syntax only if the text parsed before, or did not exist. */
function answer({ id, dialects, before, after }: SyntaxQuestion): SyntaxAnswer {
  const dialect = dialects.find(
    (one) => before === undefined || PARSERS[one](before) === undefined,
  );
  return { id, fault: dialect === undefined ? undefined : PARSERS[dialect](after) };
}

// An error ends the thread: a parser that failed on one text may be unusable for the next.
parentPort?.on('message', (question: SyntaxQuestion) => {
  parentPort?.postMessage(answer(question));
});
