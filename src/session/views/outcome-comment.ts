import type { Session } from '../session.ts';
import { stateOf } from '../state.ts';
import { code, quoted, sections } from './markdown.ts';
import { nextStep } from './next-step.ts';
import { plural } from './words.ts';

const MAX_WORDS = 20_000;

/**
 * The extra comment at the end of a run, where a person has to act or would otherwise never hear of
 * it; `undefined` where the status comment and the pull request say enough. Markdown.
 */
export function outcomeComment(session: Session): string | undefined {
  const state = stateOf(session);
  const end = session.run?.end;
  if (state === 'failed' && end !== undefined && 'words' in end) {
    const opening =
      end.kind === 'limit' ? 'The work stopped at a limit:' : 'The work could not go on:';
    return comment(session, opening, end.words);
  }
  if (end?.kind !== 'finished' || (state !== 'done' && state !== 'waiting(review)'))
    return undefined;
  if (session.pullRequest?.state === 'merged' || session.finish === undefined) return undefined;
  const { outcome, summary } = session.finish;
  if (outcome === 'done') return undefined;
  const opening =
    outcome === 'cannot'
      ? 'This could not be done. The agent says why:'
      : 'Nothing was changed. The agent says why:';
  return comment(session, opening, summary);
}

const comment = (session: Session, opening: string, words: string): string =>
  sections(opening, quoted(words, MAX_WORDS), kept(session), nextStep(session));

/** What is left of the work, and where. */
function kept({ commits, pullRequest, run }: Session): string {
  if (pullRequest !== undefined) return `What was done so far is kept in #${pullRequest.number}.`;
  if (commits.length === 0 || run === undefined) return '';
  return `What was done so far is kept: ${plural(commits.length, 'commit')} on the branch ${code(run.branch)}.`;
}
