// Where the local GitHub, or one of its clients, differs from GitHub's descriptions and is right. Each has a reason.
import type { Fault } from './schema-file.ts';

interface Difference {
  /** Such as `pulls/list, answer` or `webhook push`. */
  readonly place: RegExp;
  readonly path: RegExp;
  readonly reason: string;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    place: /./,
    path: /\/(pusher|author|committer)\/email$/,
    reason:
      'the address of a bot, such as 1+name[bot]@users.noreply.github.com, is none by the rules for addresses',
  },
  {
    place: /, answer$/,
    path: /^(\/-)?\/body_(html|text)$/,
    reason:
      'the media types html, text and full give pull requests these fields too (docs.github.com, "Media types")',
  },
  {
    place: /^pulls\/.*, answer$/,
    path: /^(\/-)?\/body$/,
    reason: 'the media types html and text leave it out (docs.github.com, "Media types")',
  },
  {
    place: /^pulls\/.*, answer$/,
    path: /^(\/-)?\/(position|line|original_line)$/,
    reason: 'null in an outdated comment, as the descriptions of its webhooks say',
  },
  {
    place: /./,
    path: /\/(repo|repositories\/-|forkee|parent|source|(sub|parent)_issue_repo)\/custom_properties$/,
    reason: 'examples of webhooks have it (octokit/webhooks)',
  },
  {
    place: /^webhook issue-comment-/,
    path: /^\/issue\/issue_field_values$/,
    reason: 'described for issues in the webhooks of issues',
  },
  {
    place: /^webhook workflow-run-in-progress$/,
    path: /^\/workflow_run\/display_title$/,
    reason: 'described for the other actions of a run, `requested` and `completed`',
  },
  {
    place: /^webhook /,
    path: /\/user_view_type$/,
    reason: 'described for accounts in most webhooks; the rest copies an older account',
  },
  {
    place: /^webhook fork$/,
    path: /^\/forkee\/has_discussions$/,
    reason: 'described for every other repository of a webhook',
  },
  {
    place: /^pulls\/.*, answer$|^webhook pull-request-/,
    path: /\/head\/repo$/,
    reason: 'null if the fork was deleted, as the descriptions of most webhooks say',
  },
  {
    place: /^webhook pull-request-review-edited$/,
    path: /\/repo\/(has_discussions|web_commit_signoff_required)$/,
    reason: 'described for the other actions of a review, `submitted` and `dismissed`',
  },
  {
    place: /^webhook issues-opened$/,
    path: /^\/issue\/performed_via_github_app\/client_id$/,
    reason:
      'of an issue that the App opened: described for the same object of the REST API, `integration`',
  },
  {
    place: /^apps\/list-installations, answer$/,
    path: /^\/-\/(client_id|account\/(name|slug|created_at|updated_at|user_view_type))$/,
    reason:
      'its own copy of `installation` is older than the one of apps/get-installation, and has accounts that are users and enterprises at once',
  },
  {
    place: /^GraphQL repository\.hasIssuesEnabled$/,
    path: /^: Fields "state" conflict/,
    reason: 'gh asks so, and GitHub answers: rule `graphql-types-of-a-union`',
  },
  {
    place: /^GraphQL /,
    path: /\bsuggestedActors\b/,
    reason:
      'not in the package; GitHub documents it for those who assign issues to Copilot (docs.github.com, "Assigning issues to Copilot using the GitHub API")',
  },
];

/** Operations of the local GitHub that GitHub does not describe, with where they come from. */
export const UNDESCRIBED: ReadonlyMap<string, string> = new Map([
  ['POST /graphql', 'checked by the GraphQL schema instead'],
  ['GET /_logs/:id', 'where the redirect to the log of a job leads: on GitHub to another host'],
]);

export const isListed = (place: string, { path }: Fault): boolean =>
  DIFFERENCES.some((one) => one.place.test(place) && one.path.test(path));
