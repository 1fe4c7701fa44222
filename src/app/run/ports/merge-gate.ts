// A merge that the tests failed with is pushed only once they pass.
import { mergeNotTested } from '../../../agent/prompts/merge.ts';
import type { CommitRequest, Git } from '../../../contracts/git.ts';
import { TellModel } from '../../../lib/errors.ts';
import { mergeVerdict } from '../../../session/merging.ts';
import { testedWords } from '../../../session/texts/merges.ts';
import type { JournalTracker } from '../../service/journal-tracker.ts';

/** Git that commits a merge that the tests failed with only once they pass, or fail as they did before the merge. */
export const onlyTestedMerges = (git: Git, tracker: Pick<JournalTracker, 'session'>): Git => ({
  ...git,
  commit: async (request) => {
    const verdict = mergeVerdict(tracker.session);
    if (verdict === undefined || verdict === 'passed') return git.commit(request);
    if (verdict === 'failed_before') return git.commit(withWords(request, tracker));
    if (request.unlessUnresolved === true) return undefined;
    throw new TellModel(mergeNotTested(verdict));
  },
});

function withWords(
  request: CommitRequest,
  { session }: Pick<JournalTracker, 'session'>,
): CommitRequest {
  const command = session.work.tests.at(-1)?.command ?? '';
  const words = testedWords({ kind: 'failed_before', command });
  return { ...request, message: `${request.message}\n\n${words}` };
}
