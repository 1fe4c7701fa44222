// What a check that failed says: its annotations, and the end of its log.
import type { Check, CheckAnnotation, Excuse } from '../../contracts/checks.ts';
import { withoutInvisible } from '../../lib/text/invisible.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { GitHubDenied } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { ownerAndRepo } from '../requests/octokit.ts';
import { fetchLog } from './job-log.ts';
import { logTail } from './log-tail.ts';

/** What a check says, by others. Redacted and bounded. */
export interface CheckDetails {
  readonly summary: string;
  readonly annotations: readonly CheckAnnotation[];
  readonly log: string;
  readonly noLog?: string;
  readonly excuse?: Excuse;
}

const MOST_ANNOTATIONS = 10;
const LONGEST_MESSAGE = 500;
const LONGEST_LOG = 6_000;

/** In GitHub's words. */
const RUNNER_LOST =
  /runner has received a shutdown signal|lost communication with the server|not acquired by runner|hosted runner encountered an error/i;

/** `noLogs`: why no logs can be read, if that is known. Safe to repeat. */
export async function detailsOf(
  gate: Gate,
  check: Check,
  noLogs: string | undefined,
): Promise<CheckDetails> {
  const annotations = check.id === undefined ? [] : await annotationsOf(gate, check.id);
  const all = annotations.map(({ path, start_line: line, message }) => ({
    path: clean(gate, path, LONGEST_MESSAGE),
    line,
    message: clean(gate, message ?? '', LONGEST_MESSAGE),
  }));
  const excuse = excuseOf(check, all);
  return {
    summary: clean(gate, check.summary, LONGEST_MESSAGE),
    annotations: all.slice(0, MOST_ANNOTATIONS),
    ...(await logOf(gate, check, noLogs)),
    ...(excuse === undefined ? {} : { excuse }),
  };
}

/** Only what GitHub itself says is evidence: a text of the job could say anything. */
function excuseOf(
  { state, passedBefore, isJob }: Check,
  annotations: readonly CheckAnnotation[],
): Excuse | undefined {
  if (state === 'broken') return 'no_result';
  if (passedBefore === true) return 'passed_before';
  const isLost = annotations.some(({ message }) => RUNNER_LOST.test(message));
  return isJob === true && isLost ? 'runner_lost' : undefined;
}

async function annotationsOf(gate: Gate, id: number) {
  const { data } = await gate.checks.rest.checks.listAnnotations({
    ...ownerAndRepo(gate),
    check_run_id: id,
    per_page: 50,
  });
  return data.filter(({ annotation_level: level }) => level !== 'notice');
}

async function logOf(
  gate: Gate,
  { id, isJob }: Check,
  noLogs: string | undefined,
): Promise<Pick<CheckDetails, 'log' | 'noLog'>> {
  if (id === undefined || isJob !== true) return { log: '' };
  if (noLogs !== undefined) return { log: '', noLog: noLogs };
  try {
    const answer = await gate.checks.rest.actions.downloadJobLogsForWorkflowRun({
      ...ownerAndRepo(gate),
      job_id: id,
      request: { returnsRedirect: true },
    });
    const { location = '' } = answer.headers;
    const found = await fetchLog(location, new URL(gate.checks.request.endpoint.DEFAULTS.baseUrl));
    if ('reason' in found) return { log: '', noLog: `The log was not read: ${found.reason}.` };
    return { log: endOf(gate.redactor.redact(logTail(found.text))) };
  } catch (error) {
    if (!(error instanceof GitHubDenied)) throw error;
    return { log: '', noLog: `The log was not read. ${error.message}` };
  }
}

const endOf = (text: string): string =>
  text.length <= LONGEST_LOG ? text : `…${text.slice(-LONGEST_LOG)}`.toWellFormed();

const clean = ({ redactor }: Gate, text: string, longest: number): string =>
  cutCharacters(redactor.redact(withoutInvisible(text)), longest, '…');
