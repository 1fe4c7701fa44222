// What people read of a merge of the base branch.
import { code } from './markdown.ts';

/** Whether the result was tested before it was pushed. */
export type Tested =
  | { readonly kind: 'passed'; readonly command: string }
  /** A sentence says why not. */
  | { readonly kind: 'not_run'; readonly reason: string };

export const COMMANDS_OFF = 'Commands are not allowed here.';

/** The message of the commit that ends a merge without conflicts. */
export function mergeMessage(from: string, into: string, tested: Tested): string {
  const words =
    tested.kind === 'passed'
      ? `The tests passed: ${tested.command}`
      : `Pushed without tests. ${tested.reason}`;
  return `Merge branch '${from}' into ${into}\n\n${words}`;
}

const MOST_PATHS = 10;

/** The conflicts that only people can resolve. */
export function conflictsForPeople(branch: string, paths: readonly string[]): string {
  const named = paths.slice(0, MOST_PATHS).map(code).join(', ');
  const more = paths.length > MOST_PATHS ? `, and ${paths.length - MOST_PATHS} more` : '';
  return (
    `The branch has conflicts with ${code(branch)} in files that the agent may not change, or in submodules: ${named}${more}. ` +
    `Merge ${code(branch)} into the branch yourself and push: Issuewright continues from there.`
  );
}
