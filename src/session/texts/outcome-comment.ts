import type { Session } from '../session.ts';
import { stateOf } from '../state.ts';
import { commitList } from './commits.ts';
import { hasOnlyOnePlan } from './headline.ts';
import { code, quoted, sections } from './markdown.ts';
import { nextStep } from './next-step.ts';
import { plural } from './words.ts';

const MAX_WORDS = 20_000;
const MAX_COMMITS = 15;

/**
 * The extra comment at the end of a run, where a person has to act or would otherwise never hear of
 * it; `undefined` where the status comment and the pull request say enough, and for an answer, which
 * has a comment of its own. Markdown.
 */
export function outcomeComment(session: Session): string | undefined {
  const state = stateOf(session);
  const { run, finish } = session;
  const end = run?.end;
  if (state === 'failed' && end !== undefined && 'words' in end) {
    return end.kind === 'limit'
      ? comment(session, 'The work stopped at a limit:', end.words, progress(session))
      : comment(session, 'The work could not go on:', end.words);
  }
  if (end?.kind !== 'finished' || (state !== 'done' && state !== 'waiting(review)'))
    return undefined;
  if (session.pullRequest?.state === 'merged') return undefined;
  if (hasOnlyOnePlan(session)) return onePlan(session);
  if (finish === undefined || finish.outcome === 'done') return undefined;
  const opening =
    finish.outcome === 'cannot'
      ? 'This could not be done. The agent says why:'
      : 'Nothing was changed. The agent says why:';
  return comment(session, opening, finish.summary);
}

const comment = (session: Session, opening: string, words: string, more = ''): string =>
  sections(opening, quoted(words, MAX_WORDS), more, kept(session), nextStep(session));

const onePlan = (session: Session): string =>
  sections(
    'One reply of the model was carried out. The run ended there, because the settings say `mode: single`.',
    commitList(session.commits, MAX_COMMITS) || 'Nothing was committed.',
    kept(session),
    nextStep(session),
  );

function progress({ plan }: Session): string {
  if (plan.length === 0) return '';
  const done = plan.filter((item) => item.done).length;
  return `Of its plan, ${done} of ${plural(plan.length, 'step')} ${done === 1 ? 'is' : 'are'} done.`;
}

/** What is left of the work, and where. */
function kept({ commits, pullRequest, run }: Session): string {
  if (pullRequest !== undefined) return `What was done so far is kept in #${pullRequest.number}.`;
  if (commits.length === 0 || run === undefined) return '';
  return `What was done so far is kept: ${plural(commits.length, 'commit')} on the branch ${code(run.branch)}.`;
}
