// The entry point of the syntax thread.
import { serveTasks } from '../../lib/threads/task-thread.ts';
import { PARSERS, type SyntaxQuestion } from './check.ts';

/** A change broke the syntax only if the text parsed before, or did not exist. */
function faultIn({ dialects, before, after }: SyntaxQuestion): string | undefined {
  const dialect = dialects.find(
    (one) => before === undefined || PARSERS[one](before) === undefined,
  );
  return dialect === undefined ? undefined : PARSERS[dialect](after);
}

serveTasks((question: SyntaxQuestion) => [faultIn(question)]);
