import type { Model } from '../../contracts/model.ts';
import { instructions } from '../../agent/prompt.ts';
import type { Protocol } from '../../agent/protocol.ts';
import { protocolNamed } from '../../agent/protocols/index.ts';
import type { Tool } from '../../contracts/tool.ts';
import type { Entry, EntryOf } from '../../session/entries/entry.ts';
import type { RunContext } from '../service/service.ts';
import type { RunPlan } from './plan.ts';

/** What a run that is not prepared yet is prepared with. */
interface Preparation {
  readonly model: Model;
  readonly tools: readonly Tool[];
}

/** Journals how a run is to go, its system prompt included; a resumed run keeps what it has. */
export async function prepare(
  { tracker, shells }: RunContext,
  plan: RunPlan,
  { model, tools }: Preparation,
): Promise<void> {
  const { owner, name } = tracker.session.repository;
  const protocol = protocolFor(plan, model, tracker.entries);
  await tracker.append({
    type: 'run_prepared',
    run: tracker.session.run?.number ?? 0,
    model: plan.model,
    destination: model.destination,
    protocol: protocol.name,
    mode: plan.mode,
    instructions: instructions({
      protocol,
      tools,
      guidance: plan.guidance,
      repository: `${owner}/${name}`,
    }),
    branch: plan.base.branch,
    baseBranch: plan.base.baseBranch,
    baseCommit: plan.base.commit,
    trailers: plan.trailers,
    ...shellOf(shells, tools),
    ...(plan.warnings.length === 0 ? {} : { warnings: plan.warnings }),
    ...(plan.planFirst ? { planFirst: true } : {}),
    ...(plan.continuous ? { continuous: true } : {}),
  });
}

const shellOf = (
  shells: RunContext['shells'],
  tools: readonly Tool[],
): Pick<EntryOf<'run_prepared'>, 'shell'> =>
  shells !== undefined && tools.some(({ safety }) => safety === 'dangerous')
    ? { shell: shells.kind }
    : {};

/** A model whose server refused tools once in this session is not asked with tools again. */
function protocolFor(plan: RunPlan, model: Model, entries: readonly Entry[]): Protocol {
  if (plan.mode === 'completion') return protocolNamed('none');
  if (plan.protocol !== 'auto') return protocolNamed(plan.protocol);
  let spokenTo = '';
  const wasRefused = entries.some((entry) => {
    if (entry.type === 'run_prepared') spokenTo = entry.model;
    return entry.type === 'protocol_changed' && spokenTo === plan.model;
  });
  return protocolNamed(model.callsTools && !wasRefused ? 'native' : 'json');
}
