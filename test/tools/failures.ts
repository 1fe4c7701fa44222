// One call of each tool that cannot be done, and what is answered: complete over the registry.
import type { Bench } from './support.ts';

interface Failure {
  /** Files of the workspace. */
  readonly seed?: Readonly<Record<string, string>>;
  readonly before?: (world: Bench) => unknown;
  readonly args: unknown;
  /** Part of the message for the model, or for the person if the run ends. */
  readonly says: RegExp;
}

export const FAILURES: Readonly<Record<string, Failure>> = {
  list_directory: { args: { path: 'nowhere' }, says: /nowhere.*does not exist/ },
  find_files: { args: { pattern: 'src/[' }, says: /glob/ },
  grep_search: { args: { pattern: 'a(b' }, says: /"\(" is never closed, at character 2/ },
  search_codebase: { args: { query: 'how', path: 'nowhere' }, says: /nowhere.*does not exist/ },
  read_file: { args: { path: '../outside.txt' }, says: /outside/ },
  retrieve_context_files: { args: { paths: ['nowhere'] }, says: /nowhere.*does not exist/ },
  edit_file: {
    seed: { 'a.txt': 'one\n' },
    args: { path: 'a.txt', old_text: 'two', new_text: 'three' },
    says: /old_text is not in the file/,
  },
  write_file: { args: { path: '.git/config', content: '' }, says: /\.git/ },
  rename_file: { args: { path: 'a.txt', new_path: 'b.txt' }, says: /a\.txt.*does not exist/ },
  rename_files: {
    seed: { 'a.txt': '', 'b.txt': '' },
    args: { renames: [{ path: 'a.txt', new_path: 'b.txt' }] },
    says: /b\.txt/,
  },
  delete_file: { args: { path: 'a.txt' }, says: /a\.txt.*does not exist/ },
  run_shell_command: { args: { command: 'git push' }, says: /`git push` cannot be used here/ },
  run_tests: { args: {}, says: /No test command was found/ },
  reply: { args: { to: '3', text: 'Done.' }, says: /There are no review threads/ },
  update_plan: {
    args: {
      items: [
        { id: 1, title: 'One' },
        { id: '1', title: 'Two' },
      ],
    },
    says: /the same id/,
  },
  propose_sub_issues: { args: {}, says: /the reason why there are none/ },
  git_status: { args: 'everything', says: /arguments of git_status are invalid.*object/ },
  git_diff: { args: { of: 'yesterday' }, says: /"of" is "yesterday": give/ },
  git_log: { args: { limit: 'all' }, says: /arguments of git_log are invalid.*limit/s },
  git_add: {
    seed: { 'a.txt': 'one\n' },
    args: { paths: ['a.txt'] },
    says: /There are no changes at "a\.txt"/,
  },
  git_branch: { args: { name: 'two words' }, says: /cannot name a branch: it has a space/ },
  commit: {
    before: async ({ git, call }) => {
      await call('write_file', { path: 'a.txt', content: '' });
      git.denial = 'The push was denied: the branch is protected.';
    },
    args: { message: 'Add a' },
    says: /The push was denied/,
  },
  create_pull_request: { args: { title: 'Add a' }, says: /Nothing is committed yet: commit/ },
  submit_review: {
    args: { summary: 'No.', comments: [{ path: 'a.txt', line: 3, body: 'Why?' }] },
    says: /a\.txt: the pull request does not change this file/,
  },
  github_get_issue: { args: { number: 99 }, says: /does not have #99/ },
  github_list_issues: { args: { state: 'any' }, says: /"open"\|"closed"\|"all"/ },
  github_create_comment: { args: { number: 99, body: 'Seen.' }, says: /does not have #99/ },
  search_memory: { args: { query: '' }, says: /arguments of search_memory are invalid.*query/s },
  read_skill: { args: { name: 'cooking' }, says: /There is no skill/ },
  remember: { args: { text: 'x'.repeat(1001) }, says: /a memory has at most 1000/ },
  ask_question: { args: {}, says: /There is no question/ },
  finish_feature: { args: { feature_id: 9 }, says: /The plan has no such item/ },
  submit_for_review: { args: {}, says: /There is nothing to review/ },
  finish: { args: { outcome: 'perfect' }, says: /outcome/ },
};
