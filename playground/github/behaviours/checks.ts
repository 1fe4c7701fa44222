// Checks, workflow runs, webhooks and limits.
import { documented, unproven } from './behaviour.ts';

export const CHECK_BEHAVIOURS = {
  'checks-by-apps': unproven(
    'Only an App creates or changes check runs: 403 "You must authenticate via a GitHub App."',
    '2026-11-28',
  ),
  'checks-of-others': unproven(
    'A check run is changed by the App that created it alone.',
    '2026-11-28',
  ),
  'check-run-bodies': unproven(
    'A check run has at most 50 annotations a request and three buttons; more answers 422.',
    '2026-11-28',
  ),
  'check-run-buttons': unproven(
    'A button of a check run sends `check_run.requested_action` with its identifier to the App of the run.',
    '2026-11-28',
  ),
  'status-limits': unproven(
    'A status has at most 140 characters of description, and 255 of context.',
    '2026-11-28',
  ),
  'job-without-log': unproven('A job without a log answers 404.', '2026-11-28'),
  'log-address': unproven(
    'The log of a job is behind a redirect to another host, which takes no token of GitHub and ends after a minute.',
    '2026-11-28',
  ),
  'rerun-of-nothing-failed': unproven(
    'Running failed jobs again answers 403 if none failed.',
    '2026-11-28',
  ),
  'rerun-of-running': unproven(
    'A run that has not ended is not run again: 403 "This workflow is already running".',
    '2026-11-28',
  ),
  'delivery-cursor': unproven(
    'Deliveries are listed by pages that a cursor names; an invalid one answers 422.',
    '2026-11-28',
  ),
  'primary-limit': documented(
    'An installation may make 5,000 requests an hour; more answer 403 or 429 with `x-ratelimit-remaining: 0`.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api',
  ),
  'secondary-limits': documented(
    'At most 100 requests at once, 900 points a minute, and 80 new contents a minute or 500 an hour; more answer 403 or 429.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api',
  ),
  'redelivery-keeps-guid': unproven(
    'A redelivery has the GUID of the first delivery.',
    '2026-11-28',
  ),
  'installation-events': documented(
    'Apps get events about their installations without subscribing.',
    '2026-11-28',
    'https://docs.github.com/en/webhooks/webhook-events-and-payloads#installation',
  ),
  'check-events': documented(
    'An App that may write checks gets their events without subscribing.',
    '2026-11-28',
    'https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run',
  ),
} as const;
