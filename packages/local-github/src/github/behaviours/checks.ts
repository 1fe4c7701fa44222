// Checks, workflow runs, webhooks and limits.
import { documented, reported, unproven } from './behaviour.ts';

export const CHECK_BEHAVIOURS = {
  'checks-by-apps': documented(
    'Check runs are for Apps alone.',
    '2026-11-28',
    'https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks',
  ),
  'checks-of-others': documented(
    'A check run is changed and asked for again by the App that created it: else 403.',
    '2026-11-28',
    'https://docs.github.com/en/rest/checks/runs#rerequest-a-check-run',
  ),
  'check-run-bodies': documented(
    'A check run has at most 50 annotations a request and three buttons.',
    '2026-11-28',
    'https://docs.github.com/en/rest/checks/runs#create-a-check-run',
  ),
  'check-run-buttons': documented(
    'A button of a completed check run sends `check_run.requested_action` with its identifier to the App of the run.',
    '2026-11-28',
    'https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks#check-runs-and-requested-actions',
  ),
  'check-events': documented(
    'An App that may write checks gets their events without subscribing.',
    '2026-11-28',
    'https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run',
    'https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks',
  ),
  'check-suite-for-each-push': documented(
    'Each push creates a check suite for every App that may write checks, and sends it `check_suite.requested`.',
    '2026-11-28',
    'https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks#about-check-suites',
  ),
  'suite-conclusion': documented(
    'A suite has the conclusion of the highest priority among its runs; the order beyond `timed_out` before `success` and `neutral` is an assumption.',
    '2026-11-28',
    'https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks#about-check-suites',
  ),
  'fork-checks-name-no-pull': documented(
    'Checks of a commit in a fork name no pull request.',
    '2026-11-28',
    'https://docs.github.com/en/rest/checks/runs#create-a-check-run',
  ),
  'combined-status': documented(
    'The combined status is failure if a context failed, pending if there is none or one is pending, else success.',
    '2026-11-28',
    'https://docs.github.com/en/rest/commits/statuses#get-the-combined-status-for-a-specific-reference',
  ),
  'newest-first': unproven(
    'Check runs and statuses of a commit are listed newest first.',
    '2026-11-28',
  ),
  'status-limits': unproven(
    'A description of a status has at most 140 characters, a context at most 255: else 422.',
    '2026-11-28',
  ),
  'job-without-log': unproven('A job without a log answers 404.', '2026-11-28'),
  'log-address': documented(
    'The log of a job is behind a redirect whose address ends after a minute; that it accepts no token of GitHub is an assumption.',
    '2026-11-28',
    'https://docs.github.com/en/rest/actions/workflow-jobs#download-job-logs-for-a-workflow-run',
  ),
  'rerun-of-nothing-failed': unproven(
    'Running failed jobs again answers 403 if none failed.',
    '2026-11-28',
  ),
  'rerun-of-running': reported(
    'A run that has not ended is not run again: 403; the words "This workflow is already running" are an assumption.',
    '2026-11-28',
    'cli/cli#9221',
    'apache/tvm#12847',
  ),
  'delivery-cursor': documented(
    'Deliveries are listed by pages that a cursor names.',
    '2026-11-28',
    'https://docs.github.com/en/rest/apps/webhooks#list-deliveries-for-an-app-webhook',
  ),
  'delivery-in-time': documented(
    'A delivery that is not answered within ten seconds counts as failed, and GitHub does not repeat it; an Enterprise Server waits 30 seconds.',
    '2026-11-28',
    'https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks',
    'https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks',
  ),
  'deliveries-for-three-days': documented(
    'GitHub keeps deliveries for three days, an Enterprise Server for seven.',
    '2026-11-28',
    'https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks',
    'https://docs.github.com/en/enterprise-server@3.17/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks',
  ),
  'redelivery-keeps-guid': documented(
    'A redelivery has the GUID of the first delivery.',
    '2026-11-28',
    'https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks',
  ),
  'events-in-any-order': documented(
    'GitHub may deliver events in another order than they happened; the local GitHub keeps their order unless a test shuffles them.',
    '2026-11-28',
    'https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/troubleshooting-webhooks',
  ),
  'own-events': reported(
    'An App hears of what it does itself, with its bot as the sender.',
    '2026-11-28',
    'preloop/preloop#310',
    'tellahq/opensession#12',
  ),
  'installation-events': documented(
    'Apps get events about their installations without subscribing.',
    '2026-11-28',
    'https://docs.github.com/en/webhooks/webhook-events-and-payloads#installation',
  ),
  'primary-limit': documented(
    'An installation may make at least 5,000 requests an hour; more answer 403 or 429 with `x-ratelimit-remaining: 0`. A 304 does not count.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api',
    'https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests-if-appropriate',
  ),
  'secondary-limits': documented(
    'At most 100 requests at once, 900 points a minute, and 80 new contents a minute or 500 an hour; more answer 403 or 429.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits',
  ),
  'wait-without-retry-after': documented(
    'A secondary limit that says no time asks for a minute, and for longer each time.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit',
  ),
} as const;
