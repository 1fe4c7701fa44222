// Check suites and check runs.
import type { CheckRunChange, NewCheckRun } from '../checks/bodies.ts';
import { suiteState } from '../checks/state.ts';
import type { CheckApp, CheckRun, CheckSuite } from '../checks/state.ts';
import { GitHubError } from '../github-error.ts';
import { checkFacts, requireCommit, type CheckFacts } from '../git/check-facts.ts';
import type { Hub } from '../hub.ts';
import { checkRunEventPayload, checkSuitePayload } from '../payloads/check.ts';
import type { Repository, User } from '../state.ts';
import { timestamp } from '../state.ts';

/** Where, and by whom. The facts are read before a change, so that its events show the moment of it. */
export interface CheckContext extends Hub {
  readonly repository: Repository;
  readonly sender: User;
  readonly facts: CheckFacts;
}

export async function checkContext(
  { world, webhooks }: Hub,
  repository: Repository,
  sender: User,
  sha: string,
): Promise<CheckContext> {
  return { world, webhooks, repository, sender, facts: await checkFacts(repository, sha) };
}

export function findCheck({ checks }: Repository, id: number): CheckRun {
  const run = checks.runs.find((one) => one.id === id);
  if (run === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return run;
}

export function findSuite({ checks }: Repository, id: number): CheckSuite {
  const suite = checks.suites.find((one) => one.id === id);
  if (suite === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return suite;
}

export const suiteOf = (repository: Repository, run: CheckRun): CheckSuite =>
  findSuite(repository, run.suiteId);

export interface Push {
  readonly branch: string | null;
  /** The head before the push; `null` if there was none. */
  readonly before: string | null;
}

export function addSuite(
  { world, repository, facts }: CheckContext,
  app: CheckApp,
  { branch, before }: Push,
): CheckSuite {
  const now = timestamp();
  const { id, slug, name } = app;
  const suite: CheckSuite = {
    id: world.nextId(),
    app: { id, slug, name },
    headSha: facts.commit.sha,
    headBranch: branch,
    before,
    createdAt: now,
    updatedAt: now,
    isReset: false,
  };
  repository.checks.suites.push(suite);
  world.changed();
  return suite;
}

/** Creates a check run, and its suite if the App has none for the commit. Throws GitHub's 422 without the commit. */
export async function createCheck(
  hub: Hub,
  repository: Repository,
  sender: User,
  app: CheckApp,
  wanted: NewCheckRun,
): Promise<CheckRun> {
  const sha = await requireCommit(repository, wanted.head_sha);
  const context = await checkContext(hub, repository, sender, sha);
  const known = repository.checks.suites.find(
    (one) => one.headSha === sha && one.app.id === app.id,
  );
  const [branch = null] = context.facts.branches;
  return addCheck(context, known ?? addSuite(context, app, { branch, before: null }), wanted);
}

export function addCheck(
  context: CheckContext,
  suite: CheckSuite,
  wanted: Omit<NewCheckRun, 'head_sha'>,
): CheckRun {
  const run: CheckRun = {
    id: context.world.nextId(),
    suiteId: suite.id,
    name: wanted.name,
    status: 'queued',
    conclusion: null,
    startedAt: timestamp(),
    completedAt: null,
    detailsUrl: null,
    externalId: '',
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
  };
  const before = suiteState(context.repository.checks, suite).status;
  context.repository.checks.runs.push(run);
  apply(run, wanted);
  changed(context, suite);
  emitCheck(context, run, 'created');
  if (run.status === 'completed') emitCheck(context, run, 'completed');
  tellCompletion(context, suite, before);
  return run;
}

export function changeCheck(context: CheckContext, run: CheckRun, change: CheckRunChange): void {
  const { checks } = context.repository;
  const suite = suiteOf(context.repository, run);
  const before = { run: run.status, suite: suiteState(checks, suite).status };
  apply(run, change);
  changed(context, suite);
  if (before.run !== 'completed' && run.status === 'completed')
    emitCheck(context, run, 'completed');
  tellCompletion(context, suite, before.suite);
}

function changed({ world }: CheckContext, suite: CheckSuite): void {
  suite.isReset = false;
  suite.updatedAt = timestamp();
  world.changed();
}

function tellCompletion(context: CheckContext, suite: CheckSuite, before: string): void {
  const { status } = suiteState(context.repository.checks, suite);
  if (before !== 'completed' && status === 'completed') emitSuite(context, suite, 'completed');
}

function apply(run: CheckRun, change: CheckRunChange): void {
  const { output, conclusion } = change;
  run.name = change.name ?? run.name;
  run.detailsUrl = change.details_url ?? run.detailsUrl;
  run.externalId = change.external_id ?? run.externalId;
  run.actions = change.actions ?? run.actions;
  if (change.started_at !== undefined) run.startedAt = timestamp(new Date(change.started_at));
  const status = conclusion === undefined ? change.status : 'completed';
  if (status !== undefined) {
    const end = change.completed_at === undefined ? new Date() : new Date(change.completed_at);
    run.status = status;
    run.conclusion = conclusion ?? null;
    run.completedAt = status === 'completed' ? timestamp(end) : null;
  }
  if (output === undefined) return;
  const { title = run.output.title, summary, text = run.output.text } = output;
  run.output = { title, summary, text };
  run.annotations.push(...(output.annotations ?? []));
}

/** Asks the App of the run to run it again. The run itself does not change; its suite is queued again. */
export function rerequestCheck(context: CheckContext, run: CheckRun): void {
  const suite = suiteOf(context.repository, run);
  reset(context, suite);
  if (isOwn(context, suite)) emitCheck(context, run, 'rerequested');
}

function reset({ world }: CheckContext, suite: CheckSuite): void {
  suite.isReset = true;
  suite.updatedAt = timestamp();
  world.changed();
}

export function rerequestSuite(context: CheckContext, suite: CheckSuite): void {
  reset(context, suite);
  if (isOwn(context, suite)) emitSuite(context, suite, 'rerequested');
}

/** Someone used a button of the run. Throws GitHub's 404 if it has no such button. */
export function requestAction(context: CheckContext, run: CheckRun, identifier: string): void {
  if (!run.actions.some((one) => one.identifier === identifier))
    throw new GitHubError('check-run-buttons', 404, 'Not Found');
  if (!isOwn(context, suiteOf(context.repository, run))) return;
  if (!context.world.rules.holds('check-run-buttons')) return;
  emitCheck(context, run, 'requested_action', { requested_action: { identifier } });
}

const isOwn = ({ world }: CheckContext, { app }: CheckSuite): boolean => app.id === world.app.id;

function emitCheck(
  { world, webhooks, repository, sender, facts }: CheckContext,
  run: CheckRun,
  action: string,
  more: Record<string, unknown> = {},
): void {
  const suite = suiteOf(repository, run);
  const payload = checkRunEventPayload(world, repository, run, { ...facts, suite });
  webhooks.emit('check_run', repository, sender, { action, check_run: payload, ...more });
}

export function emitSuite(
  { world, webhooks, repository, sender, facts }: CheckContext,
  suite: CheckSuite,
  action: string,
): void {
  const payload = checkSuitePayload(world, repository, suite, facts);
  webhooks.emit('check_suite', repository, sender, { action, check_suite: payload });
}
