import { abandonCalls } from '../../agent/act.ts';
import { toolbox } from '../../agent/dispatch.ts';
import type { Protocol } from '../../agent/protocols/protocol.ts';
import { protocolNamed } from '../../agent/protocols/index.ts';
import { systemPrompt } from '../../agent/prompts/system.ts';
import type { Run } from '../../agent/agent-run.ts';
import type { Model } from '../../contracts/model.ts';
import type { Tool } from '../../contracts/tool.ts';
import type { Entry, EntryOf, RunLimits } from '../../session/entry.ts';
import { concludeWith } from '../../tools/index.ts';
import type { Service } from '../service/service.ts';
import type { SessionStore } from '../../store/store.ts';
import { conversationIn } from './conversation.ts';
import { awaited, hearing, record, RunImages, type HearingScope } from './perform.ts';
import { waitsForApproval } from './plan/offered-tools.ts';
import type { RunPlan } from './plan/plan.ts';
import { spendingOf, stopwatch } from './spending.ts';
import type { RunWork } from './work.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

/** What preparing and performing a run need of the service and the session. */
interface PrepareScope extends HearingScope {
  readonly service: Pick<
    Service,
    'operator' | 'openModel' | 'shells' | 'pause' | 'allowedBots' | 'redact'
  > & { readonly store: Pick<SessionStore, 'images' | 'spent'> };
}

/**
 * Journals how a new run is to go, its system prompt included; a resumed run keeps what it has. Then
 * the run is as its journal has it.
 */
export async function prepareRun(scope: PrepareScope, plan: RunPlan, work: RunWork): Promise<Run> {
  const { tracker, signal, service } = scope;
  const model = await service.openModel(plan.model, plan.effort);
  if (plan.prepared === undefined) {
    await record(tracker, abandonCalls(conversationIn(tracker)), work);
    await journalPlan(scope, plan, model, work);
  }
  const { store } = service;
  const images = await RunImages.load(store, tracker);
  return {
    mode: plan.mode,
    model,
    tools: toolbox(work.tools, {
      conclude: concludeWith(work.tools),
      waitsForApproval: () => waitsForApproval(tracker.session),
    }),
    history: conversationIn(tracker, images.contentOf),
    limits: plan.limits,
    relief: service.operator.relief,
    io: {
      hear: hearing(scope, work, plan, images),
      whyNotYet: awaited(scope),
      spending: spendingOf({ tracker, store: service.store }, plan.limits.dollars),
      elapsedMs: stopwatch(tracker.session.progress),
      progress: work.progress,
      redact: service.redact,
      redactForModel: async (text) => (await work.secrets.hide(text)).text,
    },
    fallback: plan.protocol === 'auto' ? protocolNamed('json') : undefined,
    cacheKey: tracker.id,
    signal,
  };
}

/** Who reviews the change, and receives it then. */
async function reviewerOf(
  { service }: PrepareScope,
  { reviewModel: model, mode }: RunPlan,
): Promise<Pick<EntryOf<'run_prepared'>, 'reviewer'>> {
  if (model === undefined || mode === 'completion') return {};
  const { destination } = await service.openModel(model);
  return { reviewer: { model, destination } };
}

async function journalPlan(
  scope: PrepareScope,
  plan: RunPlan,
  model: Model,
  { tools, serverTools, skills, warnings: without }: RunWork,
): Promise<void> {
  const { tracker } = scope;
  const { repository, folder, adopted } = tracker.session.thread;
  const { owner, name } = repository;
  const protocol = protocolFor(plan, model, tracker.entries);
  const warnings = [...plan.warnings, ...without];
  await tracker.append({
    type: 'run_prepared',
    run: tracker.session.run?.number ?? 0,
    model: plan.model,
    destination: model.destination,
    ...withoutUndefined({ effort: plan.effort, fallback: plan.fallback }),
    ...(await reviewerOf(scope, plan)),
    protocol: protocol.name,
    mode: plan.mode,
    instructions: systemPrompt({
      protocol,
      adopted,
      isReview: plan.isReview,
      isSplit: plan.isSplit,
      isFolder: folder !== undefined,
      tools,
      guidance: [plan.guidance, skills].filter((part) => part !== '').join('\n\n'),
      repository: folder === undefined ? `${owner}/${name}` : name,
    }),
    branch: plan.base.branch,
    baseBranch: plan.base.baseBranch,
    baseCommit: plan.base.commit,
    ...withoutUndefined({ replaces: plan.base.replaces }),
    trailers: plan.trailers,
    ...(model.imageTypes.size === 0 ? {} : { imageTypes: [...model.imageTypes] }),
    ...commandsIn(plan.shells, tools),
    ...(warnings.length === 0 ? {} : { warnings }),
    tools: tools.map(({ name }) => name),
    relief: { ...scope.service.operator.relief, ...windowOf(model) },
    ...(serverTools.length === 0 ? {} : { serverTools }),
    ...(plan.planFirst ? { planFirst: true } : {}),
    ...(plan.continuous ? { continuous: true } : {}),
    limits: limitsOf(plan),
    reviewRounds: plan.reviews.rounds,
    ...(plan.reviews.resolvesThreads ? { resolvesThreads: true } : {}),
  });
}

const windowOf = ({ contextWindow }: Model) =>
  contextWindow === undefined ? {} : { contextWindow };

/** For people: the run itself goes by its plan. */
function limitsOf({ limits }: RunPlan): RunLimits {
  const { turns, wallTimeMs, tokens, dollars } = limits;
  const all = {
    turns,
    minutes: wallTimeMs / 60_000,
    tokens,
    dollars: dollars.run,
    issueDollars: dollars.issue,
  };
  const isLimit = ([, limit]: [string, number | undefined]): boolean => Number.isFinite(limit);
  return Object.fromEntries(Object.entries(all).filter(isLimit));
}

function commandsIn(
  shells: Service['shells'],
  tools: readonly Tool[],
): Pick<EntryOf<'run_prepared'>, 'shell' | 'image'> {
  const runsCommands = tools.some(({ safety }) => safety === 'dangerous');
  return withoutUndefined({
    shell: runsCommands ? shells?.kind : undefined,
    image: shells?.image,
  });
}

/** A model whose server rejected tools once in this session is not asked with tools again. */
function protocolFor(plan: RunPlan, model: Model, entries: readonly Entry[]): Protocol {
  if (plan.mode === 'completion') return protocolNamed('none');
  if (plan.protocol !== 'auto') return protocolNamed(plan.protocol);
  let spokenTo = '';
  const wasRejected = entries.some((entry) => {
    if (entry.type === 'run_prepared') spokenTo = entry.model;
    return entry.type === 'protocol_changed' && spokenTo === plan.model;
  });
  return protocolNamed(model.callsTools && !wasRejected ? 'native' : 'json');
}
