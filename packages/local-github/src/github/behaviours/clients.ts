// What GitHub's own command line and other clients show of GitHub.
import { documented, reported, unproven } from './behaviour.ts';

export const CLIENT_BEHAVIOURS = {
  'raw-contents': documented(
    'A file comes as it is for `application/vnd.github.raw`, which Probot asks for.',
    '2026-11-28',
    'https://docs.github.com/en/rest/repos/contents#get-repository-content',
  ),
  'error-status': reported(
    'The body of an error answer has its status, as a text, also where the schema has none, and `errors` may be a text.',
    '2026-11-28',
    'r-lib/gh#229',
  ),
  'body-html-null': unproven('Without a body, `body_html` and `body_text` are null.', '2026-11-28'),
  'graphql-bot-logins': reported(
    'GraphQL names a bot by the slug of its App, without the `[bot]` of REST; only `viewer` has it.',
    '2026-11-28',
    'fullsend-ai/fullsend#6205',
    'DataDog/rshell#227',
    'fullsend-ai/fullsend#1953',
  ),
  'graphql-types-of-a-union': reported(
    'A query may select fields of one name and two types in the types of a union, which the specification forbids: gh selects the state of an issue or a pull request so.',
    '2026-11-28',
    'https://github.com/cli/cli/blob/v2.23.0/pkg/cmd/issue/shared/lookup.go',
    'rmosolgo/graphql-ruby#4351',
  ),
  'graphql-counts': reported(
    'A connection of which only `totalCount` is selected needs neither `first` nor `last`: gh asks for the commits of a pull request so.',
    '2026-11-28',
    'https://github.com/cli/cli/blob/v2.23.0/api/query_builder.go',
  ),
  'graphql-not-found': reported(
    'GraphQL answers "Could not resolve to a PullRequest with the number of …", and the like for other types, for a name of nothing.',
    '2026-11-28',
    'link-assistant/hive-mind#322',
    'microsoft/vscode-pull-request-github#4001',
  ),
  'graphql-reasons': unproven(
    'Where REST answers a general message with reasons beside it, the message of GraphQL is the reason.',
    '2026-11-28',
  ),
  'graphql-permissions-of-rest': unproven(
    'Mutations that do what a request of REST does need the same permissions of an App.',
    '2026-11-28',
  ),
  'json-without-a-type': documented(
    "JSON is read from bodies of any content type: the examples of GitHub's documentation post it with curl, which calls it a form.",
    '2026-11-28',
    'https://docs.github.com/en/rest/issues/issues#create-an-issue',
  ),
  'diff-media-types': documented(
    'Pull requests, commits and comparisons are there as a diff or as patches; the exact content type of the answer is an assumption.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types',
    'github/rest-api-description#6010',
  ),
} as const;
