// Plans of issues, one after the other, and what they cost.
import { join } from 'node:path';
import {
  issuesToPlan,
  planIssue,
  type IssueToPlan,
  type PlannedIssue,
  type PlanningScope,
} from '../../app/by-hand/evaluation/plan-issue.ts';
import { rulesFor } from '../../app/admission/settings.ts';
import { readEvaluation, secretsByHand, type Environment } from '../../config.ts';
import { gitHubByToken } from '../../github/by-token.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { createRedactor, type Redactor } from '../../lib/text/redact.ts';
import { isPriceKnown } from '../../models/index.ts';
import { SETTINGS_FILE } from '../../session/settings/index.ts';
import { cost, dollars, plural, shortSha, tokensUsed } from '../../session/texts/format.ts';
import { requireMergingGit } from '../../workspace/git/engines/native/native-git.ts';
import { TaskRepositories } from '../../workspace/git/folder/task-repository.ts';
import { readResults } from '../evaluate/results-file.ts';
import {
  openHandContext,
  requireStopped,
  type HandContext,
  type HandOptions,
} from '../hand-context.ts';
import { answersFrom } from '../run/answers.ts';
import { requireOwnHost, type IssueAddress } from '../run/issue-address.ts';
import { EXIT_CODES, outcomeByHand } from '../run/result.ts';
import { spellCommand } from '../../lib/program-name.ts';

interface PlanRequest extends Pick<HandOptions, 'isJson' | 'print' | 'terminal'> {
  /** One of the repository. */
  readonly address: IssueAddress;
  readonly numbers: readonly number[];
  readonly environment: Environment;
}

type PlanConfig = ReturnType<typeof readEvaluation>;
type ShownPlan = IssueToPlan & PlannedIssue;

const STOPPING = ['Stopping: the unfinished plan is dropped.', 'Stopping.'];

/** Resolves with the exit code. */
export async function planIssues(request: PlanRequest): Promise<number> {
  const config = readEvaluation(request.environment);
  const redactor = createRedactor(secretsByHand(config));
  requireOwnHost('issue', request.address, config.github);
  await requireMergingGit();
  const context = await openHandContext(config, redactor, request, STOPPING);
  const repositories = await TaskRepositories.open(request.address.name, context.stopped);
  try {
    const planning = await open(config, request, context, { redactor, repositories });
    // What is no issue is found before anyone pays.
    const issues = await issuesToPlan(planning.github, request.numbers);
    const planned: ShownPlan[] = [];
    for (const issue of issues) planned.push(await planOne(planning, issue, context, request));
    report(planned, config, planning, request);
    return planned.every(({ plan }) => plan !== undefined) ? 0 : 1;
  } catch (error) {
    requireStopped(error, context);
    return EXIT_CODES.stopped;
  } finally {
    await repositories.close();
    await context.close();
  }
}

/** Whatever the repository says itself, the plan comes first. */
const PLAN_FIRST = { given: { plan: 'ask' }, source: `\`${spellCommand('plan')}\`` } as const;

interface PlanParts {
  readonly redactor: Redactor;
  readonly repositories: TaskRepositories;
}

async function open(
  { github: token, models }: PlanConfig,
  { address }: PlanRequest,
  { service, stopped, progress }: HandContext,
  { redactor, repositories }: PlanParts,
): Promise<PlanningScope> {
  const gitHub = gitHubByToken({ ...token, signal: stopped, log: service.log, redactor });
  const person = await gitHub.owner();
  const github = await gitHub.repository(address, person, 'read');
  const [rules, own, owners] = await Promise.all([
    rulesFor(github, github.ref),
    github.readFile(SETTINGS_FILE),
    github.ownersFile(SETTINGS_FILE),
  ]);
  const answer = answersFrom({ progress, stopped, isYes: true });
  const settings = { own, owners, layer: PLAN_FIRST };
  const [model] = models.offered;
  return { service, settings, stopped, github, repositories, rules, person, answer, model };
}

async function planOne(
  planning: PlanningScope,
  issue: IssueToPlan,
  { progress, stopped }: HandContext,
  { isJson, print }: PlanRequest,
): Promise<ShownPlan> {
  progress.say(`#${issue.number}: planning with ${planning.model}`);
  progress.begin();
  try {
    const planned = await planIssue(planning, issue, (entries) => progress.hear(entries));
    stopped.throwIfAborted();
    const shown = { ...issue, ...planned };
    progress.rest();
    if (!isJson) print(planInWords(shown, stopped));
    return shown;
  } finally {
    progress.rest();
  }
}

function planInWords(
  { number, title, base, solvedBy, plan, session, measures }: ShownPlan,
  stopped: AbortSignal,
): string {
  const before = solvedBy === undefined ? '' : `, before #${solvedBy.number} solved it`;
  const { end, finish } = session.run ?? {};
  const reason = end !== undefined && 'reason' in end ? end.reason : finish?.summary;
  const none = `No plan (${outcomeByHand(session, stopped)}). ${reason ?? ''}`.trimEnd();
  const used = tokensUsed({ ...measures, written: 0, reasoning: 0 });
  return [
    `#${number} ${title}`,
    `At ${shortSha(base)}${before}`,
    '',
    ...(plan === undefined ? [none] : plan.map((step, at) => `${at + 1}. ${step}`)),
    '',
    `This cost ${cost(measures)}: ${plural(measures.replies, 'reply', 'replies')}, ${used}.`,
    '',
  ]
    .map((line) => escapeUnseen(line.replaceAll(/\s+/g, ' ')))
    .join('\n');
}

function report(
  planned: readonly ShownPlan[],
  config: PlanConfig,
  planning: PlanningScope,
  { isJson, print }: PlanRequest,
): void {
  const total = {
    dollars: planned.reduce((sum, { measures }) => sum + measures.dollars, 0),
    isPartial: planned.some(({ measures }) => measures.isPartial),
  };
  const { github, model } = planning;
  const estimate = estimateOf(config, planning);
  if (!isJson)
    return print(
      `${plural(planned.length, 'issue')}: ${cost(total)}, measured. Nothing was written to GitHub.\n${estimate.words}`,
    );
  const repository = `${github.ref.owner}/${github.ref.name}`;
  const issues = planned.map(objectOf);
  const all = { repository, model, issues, ...costFacts(total), estimate };
  print(escapeUnseen(JSON.stringify(all, null, 2)));
}

const costFacts = ({ dollars: amount, isPartial }: Parameters<typeof cost>[0]) => ({
  dollars: isPartial && amount === 0 ? null : amount,
  isPartial,
});

const objectOf = ({ number, title, base, solvedBy, plan, measures }: ShownPlan) => ({
  issue: number,
  title,
  base,
  solved_by: solvedBy?.number ?? null,
  plan: plan ?? null,
  ...measures,
  ...costFacts(measures),
});

/** What the whole work would cost, and who says so. */
interface CostEstimate {
  /** US dollars of whole sessions, the cheapest first; none: nothing was measured. */
  readonly measured: readonly number[];
  /** Some replies of them have no known price. */
  readonly isPartial: boolean;
  readonly words: string;
}

function estimateOf(
  { dataDir, models }: PlanConfig,
  { github: { ref }, model, service }: PlanningScope,
): CostEstimate {
  const path = join(dataDir, 'evaluations', `${ref.owner}-${ref.name}.jsonl`);
  const results = readResults(path, ref.id).filter((one) => one.model === model);
  const measured = results.map((one) => one.dollars).toSorted((one, other) => one - other);
  const isPartial = results.some((one) => one.isPartial === true);
  const [least, most] = [measured[0], measured.at(-1)];
  if (least !== undefined && most !== undefined) {
    const sum = measured.reduce((all, one) => all + one, 0);
    const mean = cost({ dollars: sum / measured.length, isPartial });
    const source = `${plural(measured.length, 'issue')} of this repository that this model worked on in \`${spellCommand('evaluate')}\` (${path})`;
    const words = `The whole work: ${mean} an issue on average, from ${dollars(least)} to ${dollars(most)}. Source: ${source}.`;
    return { measured, isPartial, words };
  }
  const words = `The whole work: not measured for this repository and model; \`${spellCommand('evaluate')}\` does that. ${mostOf(models, model, service.operator.limits)}`;
  return { measured, isPartial, words };
}

function mostOf(
  { catalog }: PlanConfig['models'],
  model: string,
  { dollars: budgets, runTokens }: PlanningScope['service']['operator']['limits'],
): string {
  if (!isPriceKnown(model, catalog))
    return `The price of ${model} is unknown (docs/models.md), so only AGENT_MAX_RUN_TOKENS limits a run: ${runTokens?.toLocaleString('en') ?? 'none'}.`;
  const [run, issue] = [budgets.run, budgets.issue].map((most) =>
    most === undefined ? 'no limit' : dollars(most),
  );
  return `The most that it can cost is what you allow: ${run} a run (BUDGET_RUN), ${issue} an issue (BUDGET_ISSUE).`;
}
