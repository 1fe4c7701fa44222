// Commits, branches and files: through git and through the API.
import { documented, reported, unproven } from './behaviour.ts';

export const CODE_BEHAVIOURS = {
  'mentions-in-commits': reported(
    'The message of a commit mentions people in code too, at least in fences and over lines; since November 2025 github.com no longer notifies them.',
    '2026-11-28',
    'isaacs/github#1351',
    'cue-lang/cue#4026',
    'rust-lang/rust#137990',
    'zulip/zulip#36550',
  ),
  'no-mention-behind-nothing': reported(
    'A name behind `@` and a space of no width (U+200B) is no mention: neither on pages nor by mail, nor in the message of a commit.',
    '2026-11-28',
    'renovatebot/renovate#1083',
    'dependabot/dependabot-core#3157',
    'renovatebot/renovate#30842',
  ),
  'unknown-commit': reported(
    'A commit that does not exist answers 422 "No commit found for SHA: …".',
    '2026-11-28',
    'rust-lang/rust#84906',
    'yegor256/rultor#1344',
  ),
  'unknown-branch': unproven(
    'A branch that does not exist answers 404 "Branch not found".',
    '2026-11-28',
  ),
  'unknown-ref-of-contents': unproven(
    'Contents at a ref that does not exist answer 404 "No commit found for the ref …".',
    '2026-11-28',
  ),
  'contents-of-empty-repository': unproven(
    'Writing a file to a repository without any commit makes its first commit, on its default branch.',
    '2026-11-28',
  ),
  'unknown-branch-of-contents': unproven(
    'Writing a file on a branch that does not exist answers 404 "Branch … not found".',
    '2026-11-28',
  ),
  'contents-need-the-blob': reported(
    'Changing a file through `contents` names its present blob: else 422.',
    '2026-11-28',
    'octokit/octokit.rb#992',
    'github/github-mcp-server#191',
  ),
  'contents-stale-blob': documented(
    'Another blob than the present one answers 409.',
    '2026-11-28',
    'https://docs.github.com/en/rest/repos/contents#create-or-update-file-contents',
  ),
  'compare-without-ancestor': unproven(
    'Comparing commits without a common ancestor answers 404.',
    '2026-11-28',
  ),
  'ref-in-full': documented(
    'A new ref is named in full, with `refs/` and at least two slashes.',
    '2026-11-28',
    'https://docs.github.com/en/rest/git/refs#create-a-reference',
  ),
  'ref-exists': reported(
    'Creating a ref that exists answers 422 "Reference already exists".',
    '2026-11-28',
    'renovatebot/renovate#20281',
    'stamen/open-redistricting#26',
  ),
  'ref-name': unproven('A ref that git would not allow answers 422.', '2026-11-28'),
  'ref-does-not-exist': reported(
    'Changing or deleting a ref that does not exist answers 422 "Reference does not exist".',
    '2026-11-28',
    'Mergifyio/mergify#2906',
    'rust-lang/bors#591',
  ),
  'ref-names-an-object': unproven(
    'A branch names a commit that exists: else 422; one report has 500 for a hash of nothing.',
    '2026-11-28',
    'github/rest-api-description#714',
  ),
  'ref-update-race': unproven(
    'An update that another one overtakes answers 422 "Reference update failed"; the words are reported, their cause is not.',
    '2026-11-28',
    'github/rest-api-description#4887',
  ),
  'fast-forward-by-default': documented(
    'Updating a branch loses no commits unless `force` says so: 422 "Update is not a fast forward".',
    '2026-11-28',
    'https://docs.github.com/en/rest/git/refs#update-a-reference',
    'rust-lang/homu#75',
  ),
  'update-refs': documented(
    'The mutation `updateRefs` moves a ref only from the commit that `beforeOid` names, and with `force` to one that does not follow it. The words of the error are not documented.',
    '2026-11-28',
    'https://docs.github.com/en/enterprise-server@3.22/graphql/reference/git',
  ),
  'author-of-commit': documented(
    'The author and the committer of a commit have a name and an e-mail address: else 422.',
    '2026-11-28',
    'https://docs.github.com/en/rest/git/commits#create-a-commit',
  ),
  'app-commits-are-signed': documented(
    'GitHub signs a commit of an App and shows it as verified, unless the App names an author or a committer or brings a signature.',
    '2026-11-28',
    'https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots',
  ),
  'web-commits-are-signed': documented(
    'GitHub signs the commits that it makes itself, such as merges and suggestions, as their committer.',
    '2026-11-28',
    'https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification',
  ),
  'blob-in-base64': unproven(
    'The content of a blob is valid Base64 if it says so: else 422.',
    '2026-11-28',
  ),
  'blob-size': documented(
    'Blobs are read up to 100 MB: else 403.',
    '2026-11-28',
    'https://docs.github.com/en/rest/git/blobs#get-a-blob',
  ),
  'tree-entries': unproven(
    'Each entry of a tree has a clean path and an object of its type: else 422.',
    '2026-11-28',
    'https://docs.github.com/en/rest/git/trees#create-a-tree',
  ),
  'commit-of-known-objects': unproven(
    'The tree and the parents of a commit exist: else 422.',
    '2026-11-28',
  ),
  'workflow-files': documented(
    'A ref gets a workflow file from an App without the permission `workflows` only if another branch has it at its tip, with the same path and contents, whoever made the commits.',
    '2026-11-28',
    'https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps',
    'kaeawc/android-build#428',
    'vtmocanu/uzi#456',
    'Molecule-AI/molecule-core#970',
    'wildfly/wildfly.org#549',
    'peter-evans/create-pull-request#1713',
  ),
  'workflow-files-of-any-branch': documented(
    'Any other branch will do for a workflow file; one report saw only the default branch count (DataDog/datadog-agent#49532).',
    '2026-11-28',
    'https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps',
    'spinframework/spin#1226',
  ),
  'workflow-file-deleted': unproven(
    'A ref may lose workflow files, whoever moves it.',
    '2026-11-28',
  ),
  'workflow-files-by-ref': unproven(
    'A ref that may not get a workflow file is denied by REST with 403 "Resource not accessible by integration"; that it is denied is documented and reported, the words are not.',
    '2026-11-28',
    'https://docs.github.com/en/rest/git/refs#create-a-reference',
    'vercel/next.js#94596',
    'DataDog/datadog-agent#52306',
  ),
  'workflow-files-in-merge': reported(
    'A merge or an update of a branch that brings such a workflow file answers 403, in the words of the push.',
    '2026-11-28',
    'acts-project/acts#3234',
    'chdsbd/kodiak#853',
    'chdsbd/kodiak#857',
  ),
  'workflow-file-in-tree': reported(
    'A tree or a file that names a workflow file answers 403 "Resource not accessible by integration" to an App without the permission `workflows`.',
    '2026-11-28',
    'anthropics/claude-code-action#29',
    'octokit/rest.js#368',
  ),
  'workflow-file-in-tree-of-another-branch': unproven(
    'That is so for a tree with a workflow file that another branch has, too.',
    '2026-11-28',
  ),
  'ruleset-conditions': documented(
    'Rulesets apply by patterns of ref names, to those who are not on their bypass list.',
    '2026-11-28',
    'https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets',
    'https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/creating-rulesets-for-a-repository',
  ),
  'ruleset-words': reported(
    'A push hears "GH013: Repository rule violations found for REF", each rule in its own words, and "push declined due to repository rule violations".',
    '2026-11-28',
    'anchorageoss/visualsign-parser#46',
    'vercel/sandbox#169',
    'github/gh-aw#29301',
  ),
  'push-denied': reported(
    'A push without write access answers 403 "Permission to OWNER/REPO.git denied to LOGIN."',
    '2026-11-28',
    'https://dev.to/libme/github-actions-resource-not-accessible-by-integration-fix-it-with-the-smallest-githubtoken-2gk7',
  ),
  'smart-http-only': unproven(
    'A client that does not speak git\'s smart protocol gets 403 "Please upgrade your git client."',
    '2026-11-28',
  ),
  'fetch-any-commit': unproven(
    'Clients fetch any commit by its hash, and parts of a repository by a filter.',
    '2026-11-28',
  ),
  'commits-without-limit': unproven(
    'The history of a ref has no most; the local GitHub lists up to a limit of its own.',
    '2026-11-28',
  ),
  'renamed-branch': reported(
    'Open pull requests to a renamed branch follow it, and a read of the branch by its old name answers 301 with the address by the new one; git knows the new one alone.',
    '2026-11-28',
    'https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-branches-in-your-repository/renaming-a-branch',
    'google/go-github#1895',
  ),
  'contents-of-links': documented(
    'A link to a file of the repository is answered like that file; another link with its target.',
    '2026-11-28',
    'https://docs.github.com/en/rest/repos/contents#get-repository-content',
  ),
  'listings-of-a-directory': documented(
    'A directory lists at most 1,000 entries.',
    '2026-11-28',
    'https://docs.github.com/en/rest/repos/contents#get-repository-content',
  ),
  'contents-of-large-files': documented(
    'The contents of a file over 1 MB are empty, with the encoding `none`.',
    '2026-11-28',
    'https://docs.github.com/en/rest/repos/contents#get-repository-content',
  ),
  'pushed-file-size': documented(
    'A push with a file over 100 MB is rejected; the local GitHub takes any size.',
    '2026-11-28',
    'https://docs.github.com/en/repositories/working-with-files/managing-large-files/about-large-files-on-github',
  ),
} as const;
