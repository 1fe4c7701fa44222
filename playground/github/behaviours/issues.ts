// Issues, comments, labels, reactions, and the bodies of requests.
import { documented, reported, unproven } from './behaviour.ts';

export const ISSUE_BEHAVIOURS = {
  'body-is-json': unproven(
    'A body that is no JSON answers 400 "Problems parsing JSON".',
    '2026-11-28',
  ),
  'invalid-body': unproven(
    'A field that is missing or malformed answers 422 "Validation Failed" and names the field.',
    '2026-11-28',
  ),
  'body-limit': unproven(
    'The text of an issue, a comment or a review has at most 65,536 characters; more answers 422.',
    '2026-11-28',
  ),
  'comment-not-blank': unproven('A comment without words answers 422.', '2026-11-28'),
  'title-required': unproven('An issue without a title answers 422.', '2026-11-28'),
  'title-limit': unproven('A title has at most 256 characters.', '2026-11-28'),
  'locked-conversation': reported(
    'An App cannot comment on a locked issue (403 "Unable to create comment because issue is locked."), although people with write access can.',
    '2026-11-28',
    'probot/stale#25',
  ),
  'locked-reactions': unproven('Nobody adds a reaction in a locked conversation.', '2026-11-28'),
  'deleted-issue': documented(
    'A deleted issue answers 410.',
    '2026-11-28',
    'https://docs.github.com/en/rest/issues/issues#get-an-issue',
  ),
  'label-exists': unproven(
    'Creating a label that exists answers 422 with the code `already_exists`.',
    '2026-11-28',
  ),
  'label-removal': unproven(
    'Removing a label that the issue does not have answers 404 "Label does not exist".',
    '2026-11-28',
  ),
  'assignable-people': unproven(
    'People with access of their own can be assigned; others are left out without an error, and the check of one answers 404.',
    '2026-11-28',
  ),
  'repository-name-taken': unproven(
    'A repository does not get a name that another has.',
    '2026-11-28',
  ),
  'markdown-size': unproven('`POST /markdown` takes at most 400 KB.', '2026-11-28'),
  'attachment-addresses': unproven(
    'An attached image opens at a signed address of a rendered page alone, for some minutes.',
    '2026-11-28',
  ),
  'labels-ignore-case': unproven('Names of labels ignore case.', '2026-11-28'),
  'reaction-once': unproven(
    'A person has a reaction once: 201 the first time, 200 with the same one later.',
    '2026-11-28',
  ),
  'transferred-issue': documented(
    'A transferred issue redirects to its new place, where it keeps its comments and the labels that exist there.',
    '2026-11-28',
    'https://docs.github.com/en/rest/issues/issues#get-an-issue',
    'https://docs.github.com/en/issues/tracking-your-work-with-issues/administering-issues/transferring-an-issue-to-another-repository',
  ),
  'media-types': documented(
    '`Accept` chooses the form of texts: Markdown, plain text, HTML, or all of them.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types',
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
} as const;
