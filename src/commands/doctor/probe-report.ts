// `issuewright doctor --model`: what probes show of the servers of models, as a table.
import { readProbed } from '../../config.ts';
import type { Usage } from '../../contracts/model.ts';
import { NO_USAGE } from '../../lib/no-usage.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import { dollarsFor, openModel } from '../../models/index.ts';
import { cost, tokens } from '../../session/texts/format.ts';
import type { CommandContext } from '../command.ts';
import { inWords, lineOf, sentence, summaryOf } from './report.ts';
import { PROBE_NAMES, probeModel, probesTake, type ProbeRow } from './model-probes.ts';

/** What came of one model. */
interface ProbedModel {
  readonly model: string;
  /** Who receives the requests. */
  readonly destination: string;
  readonly probes: readonly ProbeRow[];
  readonly usage: Pick<Usage, 'input' | 'output'>;
  /** `null`: the price is unknown. */
  readonly dollars: number | null;
}

/** Resolves with the exit code. */
export async function reportProbes(context: CommandContext): Promise<number> {
  const { environment, options, print } = context;
  const isJson = options['json'] === true;
  const say = isJson ? () => {} : print;
  const { model } = options;
  const config = readProbed(environment, typeof model === 'string' ? model : undefined);
  const found: ProbedModel[] = [];
  // One after the other: a small machine answers one request at a time.
  for (const name of new Set(config.models.offered))
    found.push(await reportModel(name, config, say));
  const rows = found.flatMap(({ probes }) => probes);
  const isWell = !rows.some(({ state }) => state === 'fault');
  print(
    isJson ? JSON.stringify({ ok: isWell, models: found }, undefined, 2) : `\n${summaryOf(rows)}`,
  );
  return isWell ? 0 : 1;
}

const WIDEST = Math.max(...PROBE_NAMES.map((name) => name.length));

async function reportModel(
  name: string,
  { models, agent }: ReturnType<typeof readProbed>,
  say: (line: string) => void,
): Promise<ProbedModel> {
  const { settings, catalog } = models;
  const redactor = createRedactor(models.secrets);
  const { requests, ...usual } = probesTake();
  const price = (usage: Pick<Usage, 'input' | 'output'>): number | null =>
    dollarsFor(name, { ...NO_USAGE, ...usage }, catalog);
  const model = await openModel(name, settings, catalog);
  say(
    `${name}, at ${model.destination}: ${requests} requests, about ${tokens(usual.input)} tokens in and ${tokens(usual.output)} out, ${shownPrice(price(usual))}.\n`,
  );
  const probes: ProbeRow[] = [];
  const { protocol, limits } = agent;
  const probing = probeModel(model, { protocol, outputTokens: limits.outputTokens });
  let step = await probing.next();
  for (; step.done !== true; step = await probing.next()) {
    const { probe, state, seen, does } = step.value;
    const given = { state, text: seen, ...(does === '' ? {} : { cure: does }) };
    const { text, cure = '' } = inWords(given, redactor);
    probes.push({ probe, state, seen: text, does: cure });
    const words = { text: sentence(text), ...(cure === '' ? {} : { cure: sentence(cure) }) };
    say(lineOf({ check: probe, state, ...words }, WIDEST));
  }
  const usage = {
    input: step.value.reduce((sum, one) => sum + one.usage.input, 0),
    output: step.value.reduce((sum, one) => sum + one.usage.output, 0),
  };
  const dollars = price(usage);
  say(
    `\nIt took ${tokens(usage.input)} tokens in and ${tokens(usage.output)} out, ${shownPrice(dollars)}.`,
  );
  return { model: name, destination: model.destination, probes, usage, dollars };
}

const shownPrice = (dollars: number | null): string =>
  cost({ dollars: dollars ?? 0, isPartial: dollars === null });
