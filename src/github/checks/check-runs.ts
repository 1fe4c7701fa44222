// Our own check run on the head of a pull request.
import { cutCharacters } from '../../lib/text/text.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { GitHubDenied } from '../errors.ts';
import type { PublishedPlace } from '../comments.ts';
import {
  createOnce,
  publicBody,
  publicTitle,
  verifyAfterLostResponse,
  type Gate,
  type PublicText,
} from '../gate.ts';
import { ownerAndRepo } from '../requests/octokit.ts';
import { plainText } from '../text/safe.ts';

export interface CheckRunRequest extends PublicText {
  /** The commit that it belongs to. */
  readonly head: string;
  /** `undefined` while work is in progress. */
  readonly conclusion: 'success' | 'neutral' | 'failure' | 'cancelled' | undefined;
  readonly title: string;
  /** Words of a model about lines. GitHub takes 50 in a request, and adds those of each request to the others. */
  readonly annotations: readonly LineNote[];
  readonly actions: readonly CheckRunAction[];
  /** The id of the check run, if it is known to exist. */
  readonly known?: number | undefined;
}

/** A button: three at most. GitHub shows them once the check run is completed, and says by `identifier` which was used. */
export interface CheckRunAction {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
}

export interface LineNote {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const NAME = 'Issuewright';
export const MOST_ANNOTATIONS = 50;
const LONGEST_MESSAGE = 2_000;

type Checks = Gate['checks']['rest']['checks'];
type KnownCheckRun = PublishedPlace & { readonly annotated: boolean };

/**
 * Makes the commit have the check run of this session, once. `undefined` if GitHub does not know the commit: it may not
 * be pushed yet. Safe to repeat.
 */
export async function publishCheckRun(
  gate: Gate,
  request: CheckRunRequest,
): Promise<PublishedPlace | undefined> {
  try {
    return await publish(gate, request);
  } catch (error) {
    if (error instanceof GitHubDenied && error.status === 422) return undefined;
    throw error;
  }
}

async function publish(gate: Gate, request: CheckRunRequest): Promise<PublishedPlace> {
  const shown = await shownOf(gate, request);
  const before = await find(gate, request);
  if (before !== undefined) return change(gate, before, shown, request);
  const { head: head_sha, session: external_id } = request;
  const output = { ...shown.output, annotations: annotationsOf(gate, request) };
  const made = { ...ownerAndRepo(gate), ...shown, name: NAME, head_sha, external_id, output };
  return createOnce({
    lookUp: () => find(gate, request),
    create: async () => foundOf((await gate.checks.rest.checks.create(made)).data),
  });
}

async function change(
  gate: Gate,
  { id, annotated }: KnownCheckRun,
  { output, ...shown }: CheckRunContent,
  request: CheckRunRequest,
): Promise<PublishedPlace> {
  const annotations = annotated ? [] : annotationsOf(gate, request);
  const at = { ...ownerAndRepo(gate), check_run_id: id };
  const wanted = { ...at, ...shown, output: { ...output, annotations } };
  const update = async (more = {}) =>
    foundOf((await gate.checks.rest.checks.update({ ...wanted, ...more })).data);
  // Only annotations are added to those before: all else is the same however often it is written.
  if (annotations.length === 0) return update({ request: { repeatable: true } });
  return verifyAfterLostResponse(
    () => update(),
    async () => {
      const { data } = await gate.checks.rest.checks.get(at);
      return data.output.title === output.title && data.status === shown.status
        ? foundOf(data)
        : undefined;
    },
  );
}

type CheckRunContent = Awaited<ReturnType<typeof shownOf>>;

async function shownOf(gate: Gate, request: CheckRunRequest) {
  const { conclusion, whole, actions } = request;
  const title = publicTitle(request.title, gate);
  const output = { title, summary: await publicBody(request, gate) };
  const more = withoutUndefined({ output, actions: [...actions], details_url: whole });
  return conclusion === undefined
    ? { status: 'in_progress' as const, ...more }
    : { status: 'completed' as const, conclusion, ...more };
}

const annotationsOf = ({ redactor }: Gate, { annotations }: CheckRunRequest) =>
  annotations.slice(0, MOST_ANNOTATIONS).map(({ path, line, text }) => ({
    path,
    start_line: line,
    end_line: line,
    annotation_level: 'warning' as const,
    message: cutCharacters(plainText(text, redactor), LONGEST_MESSAGE, '…') || '…',
  }));

async function find(
  gate: Gate,
  { head, session, known }: CheckRunRequest,
): Promise<KnownCheckRun | undefined> {
  const { appId } = await gate.identity();
  const { data } = await gate.checks.rest.checks.listForRef({
    ...ownerAndRepo(gate),
    ref: head,
    app_id: appId,
    check_name: NAME,
    filter: 'all',
    per_page: 100,
  });
  const own = data.check_runs.filter(
    ({ external_id: id, app }) => id === session && app?.id === appId,
  );
  const run = own.find(({ id }) => id === known) ?? own.toSorted((a, b) => a.id - b.id)[0];
  return run && foundOf(run);
}

type CheckRun = Awaited<ReturnType<Checks['get']>>['data'];

const foundOf = ({ id, html_url, output }: CheckRun): KnownCheckRun => ({
  id,
  url: html_url ?? '',
  annotated: output.annotations_count > 0,
});
