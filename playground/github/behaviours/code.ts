// Commits, branches and files: through git and through the API.
import { documented, unproven } from './behaviour.ts';

export const CODE_BEHAVIOURS = {
  'unknown-commit': unproven(
    'A commit that does not exist answers 422 "No commit found for SHA: …".',
    '2026-11-28',
  ),
  'unknown-branch': unproven(
    'A branch that does not exist answers 404 "Branch not found".',
    '2026-11-28',
  ),
  'unknown-ref-of-contents': unproven(
    'Contents at a ref that does not exist answer 404 "No commit found for the ref …".',
    '2026-11-28',
  ),
  'unknown-branch-of-contents': unproven(
    'Writing a file on a branch that does not exist answers 404.',
    '2026-11-28',
  ),
  'contents-need-the-blob': unproven(
    'Changing a file through `contents` names its present blob; else 422.',
    '2026-11-28',
  ),
  'contents-stale-blob': unproven('Another blob than the present one answers 409.', '2026-11-28'),
  'compare-without-ancestor': unproven(
    'Comparing commits without a common ancestor answers 404.',
    '2026-11-28',
  ),
  'ref-in-full': unproven(
    'A new ref is named in full, with `refs/` and two slashes.',
    '2026-11-28',
  ),
  'ref-exists': unproven(
    'Creating a ref that exists answers 422 "Reference already exists".',
    '2026-11-28',
  ),
  'ref-name': unproven('A ref that git would not allow answers 422.', '2026-11-28'),
  'ref-does-not-exist': unproven(
    'Changing or deleting a ref that does not exist answers 422 "Reference does not exist".',
    '2026-11-28',
  ),
  'ref-names-an-object': unproven(
    'A ref names an object that exists, and a branch names a commit; else 422.',
    '2026-11-28',
  ),
  'ref-update-race': unproven(
    'An update that another one overtakes answers 422 "Reference update failed".',
    '2026-11-28',
  ),
  'fast-forward-by-default': documented(
    'Updating a branch loses no commits unless `force` says so: 422 "Update is not a fast forward".',
    '2026-11-28',
    'https://docs.github.com/en/rest/git/refs#update-a-reference',
  ),
  'author-of-commit': unproven(
    'The author and the committer of a commit have a name and an e-mail address; else 422.',
    '2026-11-28',
  ),
  'blob-in-base64': unproven(
    'The content of a blob is valid Base64 if it says so; else 422.',
    '2026-11-28',
  ),
  'blob-size': unproven('Blobs are read up to 100 MB.', '2026-11-28'),
  'tree-entries': unproven(
    'Each entry of a tree has a clean path and an object of its type; else 422.',
    '2026-11-28',
  ),
  'commit-of-known-objects': unproven(
    'The tree and the parents of a commit exist; else 422.',
    '2026-11-28',
  ),
  'workflow-files': unproven(
    'A ref with a new or changed workflow file is not accepted from an App without the permission `workflows`, through git and the API.',
    '2026-11-28',
  ),
  'ruleset-words': unproven(
    'A change that rules of the repository do not allow is rejected with each rule\'s words: `GH013` for git, 422 or 405 "Repository rule violations found" for the API.',
    '2026-11-28',
  ),
  'push-denied': unproven(
    'A push without write access answers 403 "Permission to OWNER/REPO.git denied to LOGIN."',
    '2026-11-28',
  ),
  'smart-http-only': unproven(
    'Only the smart protocol of git is spoken; another client gets 403.',
    '2026-11-28',
  ),
  'app-commits-are-signed': documented(
    'GitHub signs a commit of an App and shows it as verified, unless the App names an author or a committer or brings a signature.',
    '2026-11-28',
    'https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots',
  ),
  'ruleset-conditions': documented(
    'Rulesets apply by patterns of ref names, to those who are not on their bypass list.',
    '2026-11-28',
    'https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets',
  ),
} as const;
