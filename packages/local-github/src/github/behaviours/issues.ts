// Issues, comments, labels, reactions, and the bodies of requests.
import { documented, reported, unproven } from './behaviour.ts';

export const ISSUE_BEHAVIOURS = {
  'body-is-json': documented(
    'A body that is no JSON answers 400 "Problems parsing JSON".',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api',
  ),
  'invalid-body': documented(
    'A field that is missing or malformed answers 422 "Validation Failed" with a code for it.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api',
  ),
  'media-types': documented(
    '`Accept` chooses the form of texts: Markdown, plain text, HTML, or all of them.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types',
  ),
  'body-limit': reported(
    'A text has at most 65,536 characters: 422 "Body is too long (maximum is 65536 characters)", for a comment with the field `data` and the code `unprocessable`.',
    '2026-11-28',
    'telia-oss/github-pr-resource#259',
    'jmikedupont2/ai-ticket#51',
  ),
  'comment-not-blank': unproven('A comment without words answers 422.', '2026-11-28'),
  'title-required': documented(
    'An issue without a title answers 422.',
    '2026-11-28',
    'https://docs.github.com/en/rest/issues/issues#create-an-issue',
  ),
  'title-limit': reported(
    'A title that is too long answers 422 "title is too long", with the code `custom`; the maximum of 256 characters is not in the reports.',
    '2026-11-28',
    'NullVoxPopuli/aeonvera#354',
    'dataesr/works-magnet#76',
  ),
  'shared-numbers': documented(
    'Issues and pull requests share their numbers: every pull request is an issue.',
    '2026-11-28',
    'https://docs.github.com/en/rest/issues/issues#get-an-issue',
  ),
  'opened-then-labeled': reported(
    'An issue that is opened with labels sends `opened`, and `labeled` for each of them, in either order.',
    '2026-11-28',
    'octokit/octokit.js#2444',
    'canonical/gh-jira-sync-bot#57',
  ),
  'locked-conversation': reported(
    'An App cannot comment on a locked issue (403 "Unable to create comment because issue is locked."), although people with write access can.',
    '2026-11-28',
    'https://docs.github.com/en/communities/moderating-comments-and-conversations/locking-conversations',
    'probot/stale#25',
    'open-telemetry/opentelemetry-dotnet#6554',
  ),
  'locked-reactions': documented(
    'Nobody adds a reaction in a locked conversation.',
    '2026-11-28',
    'https://docs.github.com/en/communities/moderating-comments-and-conversations/locking-conversations',
  ),
  'reaction-once': documented(
    'A reaction exists once for each person: 201 the first time, 200 later.',
    '2026-11-28',
    'https://docs.github.com/en/rest/reactions/reactions#create-reaction-for-an-issue',
  ),
  'deleted-issue': documented(
    'A deleted issue answers 410 to those who may read the repository.',
    '2026-11-28',
    'https://docs.github.com/en/rest/issues/issues#get-an-issue',
  ),
  'deleted-number': unproven('The number of a deleted issue is not used again.', '2026-11-28'),
  'transferred-issue': documented(
    'A transferred issue answers 301 to its new place, where it keeps its comments, its assignees, and the labels that exist there.',
    '2026-11-28',
    'https://docs.github.com/en/rest/issues/issues#get-an-issue',
    'https://docs.github.com/en/issues/tracking-your-work-with-issues/administering-issues/transferring-an-issue-to-another-repository',
  ),
  'labels-ignore-case': reported(
    'Names of labels ignore case.',
    '2026-11-28',
    'karelz/GitHubIssues#128',
    'rust-lang/triagebot#1915',
  ),
  'label-created-on-use': reported(
    'Adding a label that the repository lacks creates it, on GitHub in the colour `ededed`.',
    '2026-11-28',
    'github/docs#35718',
  ),
  'label-exists': documented(
    'Creating a label that exists answers 422 with the code `already_exists`.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api',
  ),
  'label-removal': documented(
    'Removing a label that the issue does not have answers 404.',
    '2026-11-28',
    'https://docs.github.com/en/rest/issues/labels#remove-a-label-from-an-issue',
  ),
  'labels-need-access': documented(
    'Labels of an issue that someone opens without the access for them are dropped without an error.',
    '2026-11-28',
    'https://docs.github.com/en/rest/issues/issues#create-an-issue',
  ),
  'assignable-people': documented(
    'Assignees who cannot be assigned are left out without an error; the check of one answers 404.',
    '2026-11-28',
    'https://docs.github.com/en/rest/issues/assignees',
  ),
  'assignable-apps': unproven(
    'GraphQL lists an App that issues can be assigned to among `suggestedActors`, by its slug.',
    '2026-11-28',
  ),
  'repository-name-taken': reported(
    'A repository does not get a name that another of its owner has: 422 "Repository creation failed."',
    '2026-11-28',
    'SierraSoftworks/git-tool#84',
  ),
  'closing-links': unproven(
    '`closedByPullRequestsReferences` has merged pull requests also without `includeClosedPrs`.',
    '2026-11-28',
  ),
  'markdown-size': documented(
    '`POST /markdown` takes at most 400 KB.',
    '2026-11-28',
    'https://docs.github.com/en/rest/markdown/markdown',
  ),
  'markdown-of-github': unproven(
    "Names and numbers become links if they exist, and tags, attributes and wrappers are those of GitHub's HTML.",
    '2026-11-28',
    'https://github.github.com/gfm/',
  ),
  'attachment-addresses': unproven(
    'An attached image opens at a signed address of a rendered page alone, for five minutes.',
    '2026-11-28',
  ),
  'shortcode-in-label': reported(
    'Labels `:robot: agent` and `🤖 agent` are two names, which pages show as one.',
    '2026-11-28',
    'mdn/browser-compat-data#4807',
    'TimonVS/pr-labeler-action#65',
  ),
  'themed-picture': reported(
    'Markdown with `<picture>` is rendered with `<themed-picture>` around it, and its image is no link.',
    '2026-11-28',
    'https://github.com/rehypejs/rehype-github',
    'https://github.com/Cinnamon/kotaemon',
  ),
  'tags-that-are-not-allowed': reported(
    'The tags of elements that GitHub does not allow are removed, and the words in them stay.',
    '2026-11-28',
    'https://github.com/rehypejs/rehype-github',
  ),
  // GitHub documents the order of an issue's comments as that of their ids; others rely on it as the order in which they were written.
  'comment-ids-rise': reported(
    'A later comment has a higher id.',
    '2026-11-28',
    'https://docs.github.com/en/rest/issues/comments',
    'https://docs.rs/onetaskgraph-github-projects/0.2.31/onetaskgraph_github_projects/graphql/constant.ISSUE_COMMENTS.html',
  ),
  'reopened-updated-at': unproven(
    'The `updated_at` of an issue or pull request in the event of its reopening is when that happened.',
    '2026-11-28',
    'https://github.com/octokit/webhooks/blob/main/payload-examples/api.github.com/issues/reopened.payload.json',
  ),
  'issue-types': documented(
    'An organization has the types Task, Bug and Feature until its owners change them; an issue has one of them or none, and case does not matter.',
    '2026-11-29',
    'https://docs.github.com/en/rest/orgs/issue-types',
    'https://github.com/orgs/community/discussions/139933',
    'https://github.blog/changelog/2025-03-18-github-issues-projects-rest-api-support-for-issue-types',
  ),
  'issue-type-needs-push': documented(
    'Only people who may push set the type of an issue; from others it is dropped without an error.',
    '2026-11-29',
    'https://docs.github.com/en/rest/issues/issues#update-an-issue',
  ),
  'issue-fields': documented(
    'An issue lists the values of the fields of its organization in `issue_field_values`; of a choice, the options have the names.',
    '2026-11-29',
    'https://docs.github.com/en/rest/issues/issues#get-an-issue',
    'https://docs.github.com/en/rest/issues/issue-field-values',
  ),
  'unknown-issue-type': unproven('A type that there is not answers 422.', '2026-11-29'),
  'opened-then-typed': unproven(
    'An issue that is opened with a type sends `opened`, with the type in it, and `typed`.',
    '2026-11-29',
    'https://docs.github.com/en/webhooks/webhook-events-and-payloads#issues',
  ),
  'parent-of-an-issue': reported(
    'An issue names its parent in `parent_issue_url`, which one without a parent does not have; `GET …/parent` of that one answers 404.',
    '2026-11-29',
    'google/go-github#3840',
    'kamp-us/phoenix#4171',
  ),
  'one-parent': reported(
    'An issue that has a parent is added to another one with `replace_parent` only: 422 "Sub issue may only have one parent".',
    '2026-11-29',
    'cli/cli#13413',
  ),
  'parent-in-timeline': documented(
    'The timeline of a sub-issue in GraphQL says who made it one, and when.',
    '2026-11-29',
    'https://docs.github.com/en/graphql/reference/objects#parentissueaddedevent',
  ),
  'sub-issues-limit': reported(
    'An issue has at most 100 sub-issues, closed ones among them; the words of the error are not in the reports.',
    '2026-11-29',
    'https://github.com/orgs/community/discussions/207865',
  ),
  'sub-issues-need-triage': documented(
    'People with at least the role triage add sub-issues.',
    '2026-11-29',
    'https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/adding-sub-issues',
  ),
  'sub-issue-added-last': unproven(
    'An issue that is added becomes the last sub-issue of its parent.',
    '2026-11-29',
    'https://docs.github.com/en/rest/issues/sub-issues#reprioritize-sub-issue',
  ),
  'issues-listed-at-once': unproven(
    'A list of issues has a new one as soon as it was opened.',
    '2026-11-29',
    'https://docs.github.com/en/rest/issues/issues#list-repository-issues',
  ),
  'sub-issue-of-the-same-owner': documented(
    'A sub-issue is in a repository of the same owner as its parent; another one answers 422, in words that no source has.',
    '2026-11-29',
    'https://docs.github.com/en/rest/issues/sub-issues#add-sub-issue',
  ),
  'sub-issues-of-other-repositories': unproven(
    'A list of sub-issues has those in other repositories too, as far as the token reads these.',
    '2026-11-29',
    'https://docs.github.com/en/rest/issues/sub-issues#list-sub-issues',
  ),
  'sub-issue-events': unproven(
    'The repository of a parent hears `sub_issue_added` and `sub_issue_removed`, that of the sub-issue `parent_issue_added` and `parent_issue_removed`.',
    '2026-11-29',
    'https://docs.github.com/en/webhooks/webhook-events-and-payloads#sub_issues',
  ),
  'deleted-events': documented(
    'An App that hears of comments hears of their deletion too, without another subscription.',
    '2026-11-28',
    'https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment',
    'integrations/slack#555',
    'zalando/zappr#229',
  ),
} as const;
