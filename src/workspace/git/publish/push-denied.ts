// What comes of a push that the server denied.
import { TellPerson } from '../../../lib/errors.ts';
import {
  BRANCH_MOVED,
  demandsSignatures,
  deniesWorkflows,
  pushDenial,
} from '../../../session/texts/push-denials.ts';

/** The server takes only commits with a verified signature. */
export class SignaturesRequired extends TellPerson {}

/** The server takes no workflow files that only this branch has. */
export class WorkflowsDenied extends TellPerson {}

/** Someone else has pushed since the workspace was made. The run begins again there; the message is for when it gives up. */
export class BranchMoved extends Error {
  override readonly name = 'BranchMoved';
}

export const branchMoved = (branch: string): BranchMoved =>
  new BranchMoved(BRANCH_MOVED.replace('{branch}', branch));

/**
 * @param said everything the server said about it, from hooks to the status of the branch
 * @param unsigned why the commit has no signature
 */
export function pushDenied(branch: string, said: string, unsigned?: string): TellPerson {
  const words = pushDenial(branch, said, unsigned);
  if (demandsSignatures(said)) return new SignaturesRequired(words);
  return deniesWorkflows(said) ? new WorkflowsDenied(words) : new TellPerson(words);
}
