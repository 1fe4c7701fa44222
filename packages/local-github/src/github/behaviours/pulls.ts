// Pull requests, reviews and merges.
import { documented, reported, unproven } from './behaviour.ts';

export const PULL_BEHAVIOURS = {
  'pull-ends-exist': reported(
    'A pull request whose head or base does not exist answers 422 with the field and the code `invalid`.',
    '2026-11-28',
    'dailymotion-oss/octopilot#134',
  ),
  'pull-exists': reported(
    'A second open pull request with the same head and base answers 422 "A pull request already exists for OWNER:BRANCH."',
    '2026-11-28',
    'ovity/octotree#557',
    'Financial-Times/nori#65',
  ),
  'pull-has-commits': reported(
    'A pull request without commits answers 422 "No commits between BASE and HEAD".',
    '2026-11-28',
    'cyberark/dev-flow#42',
    'piceaTech/node-gitlab-2-github#91',
  ),
  'pull-needs-a-pushable-head': documented(
    'Whoever opens a pull request has write access to the repository of its head.',
    '2026-11-28',
    'https://docs.github.com/en/rest/pulls/pulls#create-a-pull-request',
  ),
  'pulls-by-head': reported(
    'Pull requests are looked up by `head=OWNER:BRANCH`; without an owner the filter is ignored.',
    '2026-11-28',
    'PyGithub/PyGithub#1566',
    'x-motemen/git-pr-release#48',
  ),
  'mergeable-unknown-at-first': documented(
    'The first look at two commits answers `mergeable: null` and starts to compute it.',
    '2026-11-28',
    'https://docs.github.com/en/rest/pulls/pulls#get-a-pull-request',
  ),
  'mergeable-states': documented(
    '`mergeable_state` is behind, blocked, clean, dirty, draft, unknown or unstable; the order in which they win is an assumption.',
    '2026-11-28',
    'https://docs.github.com/en/graphql/reference/enums#mergestatestatus',
  ),
  'commits-oldest-first': documented(
    'The commits of a pull request and of a comparison are listed oldest first.',
    '2026-11-28',
    'https://docs.github.com/en/rest/commits/commits#compare-two-commits',
  ),
  'base-change': reported(
    'The base of an open pull request changes to a branch that exists and lacks its commits; a closed one keeps its base: 422.',
    '2026-11-28',
    'cli/cli#14223',
  ),
  'base-deleted': documented(
    'Once a merged branch is deleted, pull requests to it go to where it was merged.',
    '2026-11-28',
    'https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/proposing-changes-to-your-work-with-pull-requests/creating-and-deleting-branches-within-your-repository',
    'https://github.blog/changelog/2020-05-19-pull-request-retargeting/',
  ),
  'base-deleted-elsewhere': reported(
    'A branch that is deleted by the API or `git push`, and not with the button of a page, closes the pull requests to it, also if its own was merged.',
    '2026-11-28',
    'cli/cli#14223',
    'stickerdaniel/saas-starter#749',
    'https://github.com/orgs/community/discussions/210704',
  ),
  'head-deleted': documented(
    'Deleting the head branch of an open pull request closes it.',
    '2026-11-28',
    'https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/proposing-changes-to-your-work-with-pull-requests/creating-and-deleting-branches-within-your-repository',
  ),
  'deleted-fork': unproven(
    'Pull requests from a fork that is deleted stay open, with the commits that they have.',
    '2026-11-28',
  ),
  'fork-edits': documented(
    'Anyone with push access to the base may push to the head in a fork if its author allows it; on GitHub only in forks of personal accounts.',
    '2026-11-28',
    'https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/working-with-forks/allowing-changes-to-a-pull-request-branch-created-from-a-fork',
  ),
  'reopen-of-merged': reported(
    'A merged pull request cannot be reopened: 422 "state cannot be changed. The pull request cannot be reopened."',
    '2026-11-28',
    'huboard/huboard-web#361',
    'openlinker-project/openlinker#3242',
  ),
  'draft-is-not-merged': documented(
    'A draft is not merged.',
    '2026-11-28',
    'https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/merging-a-pull-request',
  ),
  'not-mergeable': documented(
    'A pull request that cannot be merged answers 405.',
    '2026-11-28',
    'https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request',
  ),
  'merge-of-known-head': documented(
    'A merge that names another head than the present one answers 409.',
    '2026-11-28',
    'https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request',
  ),
  'auto-merge-allowed': reported(
    'Auto-merge that the repository does not allow answers "Auto merge is not allowed for this repository", with a merge queue too.',
    '2026-11-28',
    'cli/cli#13398',
    'ClickHouse/ClickHouse#105624',
  ),
  'auto-merge-needs-rules': reported(
    'Auto-merge into a branch without rules answers "Pull request Protected branch rules not configured for this branch".',
    '2026-11-28',
    'hatena/Hatena-Blog-Workflows-Boilerplate#12',
    'iterative/cml#955',
  ),
  'auto-merge-has-to-wait': reported(
    'Auto-merge of what can be merged at once answers "Pull request Pull request is in clean status", or "unstable" while checks that are not required fail.',
    '2026-11-28',
    'peter-evans/enable-pull-request-automerge#1118',
    'peter-evans/enable-pull-request-automerge#355',
    'handarbeit/fabrik#831',
  ),
  'auto-merge-of-draft': unproven(
    'Auto-merge of a draft answers an error whose words nobody quotes, and ends when a pull request becomes a draft.',
    '2026-11-28',
    'reitermarkus/automerge#1525',
    'cli/cli#3858',
  ),
  'auto-merge-method': unproven(
    'Auto-merge with a method that the repository does not allow answers an error; in a merge queue the method is ignored.',
    '2026-11-28',
    'https://docs.github.com/en/graphql/reference/input-objects#enablepullrequestautomergeinput',
  ),
  'auto-merge-of-known-head': reported(
    'Auto-merge, or a place in the queue, that names another head than the present one answers "Head branch was modified. Review and try the merge again."',
    '2026-11-28',
    'StefanMaron/BusinessCentral.AL.Runner#3391',
    'rjwalters/loom#5597',
  ),
  'auto-merge-ends-by-push': documented(
    'Auto-merge ends when someone without write access pushes to the branch; pushes of others, also of the App, leave it on.',
    '2026-11-28',
    'https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/automatically-merging-a-pull-request',
    'https://github.blog/changelog/2021-03-22-updated-pull-request-auto-merge-behavior-for-users-without-write-access',
  ),
  'auto-merge-off': unproven(
    'Ending auto-merge that is not on answers an error; its words differ between reports.',
    '2026-11-28',
    'hivemoot/hivemoot-bot#372',
  ),
  'auto-merge-permissions': reported(
    'An App needs contents: write and pull_requests: write for auto-merge and for the queue.',
    '2026-11-28',
    'pylegifrance/pylegifrance#67',
    'kubevirt-ui/kubevirt-plugin#4513',
    'Systemorph/MeshWeaver#3134',
  ),
  'merge-queue': reported(
    'A pull request whose requirements are not met cannot be put into the merge queue: that is no "merge when ready".',
    '2026-11-28',
    'mrjones2014/jj-gh#103',
    'cli/cli#13562',
  ),
  'merge-author': unproven(
    'The author of a merge and of a squash is whoever merged; reports differ on whether a squash has the author of the pull request.',
    '2026-11-28',
    'https://github.com/orgs/community/discussions/22658',
    'isaacs/github#1750',
  ),
  'closing-keywords': documented(
    'A pull request that is merged into the default branch closes the issues that its description closes, fixes or resolves.',
    '2026-11-28',
    'https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue',
  ),
  'merge-of-branches': documented(
    'A merge of branches answers 404 for a branch that does not exist, and 409 for conflicts.',
    '2026-11-28',
    'https://docs.github.com/en/rest/branches/branches#merge-a-branch',
  ),
  'update-branch': documented(
    '`update-branch` answers 202, or 422 if it cannot; an App needs write access to the repository of the head.',
    '2026-11-28',
    'https://docs.github.com/en/rest/pulls/pulls#update-a-pull-request-branch',
  ),
  'reviewers-are-collaborators': documented(
    'Only collaborators can be asked for a review: 422.',
    '2026-11-28',
    'https://docs.github.com/en/rest/pulls/review-requests#request-reviewers-for-a-pull-request',
  ),
  'author-is-no-reviewer': reported(
    'The author of a pull request cannot be asked to review it: 422 "Review cannot be requested from pull request author."',
    '2026-11-28',
    'aergonaut/cody#433',
    'kerthcet/github-workflow-as-kube#16',
  ),
  'review-requests': documented(
    'Asking a person for a review sends `pull_request.review_requested` with them as `requested_reviewer`, and taking that back `review_request_removed`.',
    '2026-11-28',
    'https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request',
  ),
  'reviewed-is-not-requested': documented(
    'Whoever submits a review is no longer a requested reviewer.',
    '2026-11-28',
    'https://docs.github.com/en/rest/pulls/review-requests#get-all-requested-reviewers-for-a-pull-request',
  ),
  'own-pull-approval': reported(
    'Nobody approves their own pull request: 422 "Can not approve your own pull request".',
    '2026-11-28',
    'juliangruber/approve-pull-request-action#61',
    'hmarr/auto-approve-action#85',
  ),
  'review-body': documented(
    'A review that requests changes or comments has words.',
    '2026-11-28',
    'https://docs.github.com/en/rest/pulls/reviews#create-a-review-for-a-pull-request',
  ),
  'review-events': reported(
    'A review with comments on lines sends one event for itself and one for each comment.',
    '2026-11-28',
    'dolphin-emu/sadm#69',
    'progval/Supybot-plugins#308',
  ),
  'remark-has-review': reported(
    'A comment on a line outside of a review, and a reply, get a review of their own, with its event.',
    '2026-11-28',
    'dolphin-emu/sadm#69',
  ),
  'dismissable-reviews': unproven(
    'Approvals and requests for changes can be dismissed, nothing else: 422 "Can not dismiss a commented pull request review".',
    '2026-11-28',
  ),
  'comment-on-diff': reported(
    'A comment is on a line that the diff shows, or on a file in it: else 422 "Pull request review thread line must be part of the diff".',
    '2026-11-28',
    'parkerbxyz/suggest-changes#28',
    'The-PR-Agent/pr-agent#592',
  ),
  'suggestion-applies': documented(
    'A suggestion is committed by whoever can push, with its author as co-author; that its lines must still be there is an assumption.',
    '2026-11-28',
    'https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/incorporating-feedback-in-your-pull-request',
  ),
  'ready-for-review': reported(
    'An App that takes a pull request out of draft, or back, needs write access to contents, beside pull requests.',
    '2026-11-28',
    'https://github.com/cli/cli/discussions/6924',
    'cli/cli#8910',
    'open-telemetry/opentelemetry-collector-contrib#50226',
  ),
  'resolve-thread': reported(
    'An App that resolves a conversation needs write access to contents, beside pull requests.',
    '2026-11-28',
    'https://github.com/orgs/community/discussions/44650',
    'open-cli-collective/codereview-cli#394',
  ),
  'graphql-paging': documented(
    'A connection asks for `first` or `last`, and for at most 100 nodes.',
    '2026-11-28',
    'https://docs.github.com/en/graphql/guides/using-pagination-in-the-graphql-api',
    'https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api',
  ),
  'graphql-error-types': unproven(
    'An error of GraphQL about the world has a type, such as NOT_FOUND or FORBIDDEN; one of the query itself has none.',
    '2026-11-28',
  ),
  'graphql-unknown-id': reported(
    'GraphQL answers "Could not resolve to a node with the global id of …" for an id of nothing; that its type is NOT_FOUND is an assumption.',
    '2026-11-28',
    'github/graphql-client#16',
  ),
} as const;
