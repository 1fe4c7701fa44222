import { PROBE_INSTRUCTIONS, PROBE_QUESTION, PROBE_TOOL } from '../../agent/prompts/probe.ts';
import type { Config } from '../../config.ts';
import type { Model, ModelReply } from '../../contracts/model.ts';
import { openEmbedder, openModel } from '../../models/index.ts';
import { ToolsUnsupported } from '../../agent/model-errors.ts';
import { fault, ok, warning, type DoctorCheck, type DoctorFinding } from './examination.ts';

const TIMEOUT_MS = 60_000;
/** Some APIs allow no fewer. */
const FEWEST_TOKENS = 16;

const KEY = 'Check MODEL, the key of its provider and its address (docs/models.md)';

const askProbe = (model: Model, tools: readonly (typeof PROBE_TOOL)[]): Promise<ModelReply> =>
  model.reply({
    system: PROBE_INSTRUCTIONS,
    messages: [{ role: 'user', text: PROBE_QUESTION }],
    tools,
    maxOutputTokens: FEWEST_TOKENS,
    cacheKey: 'issuewright-doctor',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });

const model: DoctorCheck = {
  name: 'model',
  cure: KEY,
  look: async ({ config, redactor }) => {
    const { offered, review, fallback, embedding } = config.models;
    const others = [review, fallback?.model].filter((name) => name !== undefined);
    const names = [...new Set([...offered, ...others])];
    const found = await Promise.all([
      ...names.map((name) => examine(name, config)),
      ...(embedding === undefined ? [] : [examineEmbedding(embedding, config)]),
    ]);
    return found.flat().map((one) => ({ ...one, text: redactor.redact(one.text) }));
  },
};

async function examine(name: string, { models, agent }: Config): Promise<readonly DoctorFinding[]> {
  try {
    const opened = await openModel(name, models.settings, models.catalog);
    const wantsTools = opened.callsTools && ['auto', 'native'].includes(agent.protocol);
    const { reply, hasTools } = await askWithTools(opened, wantsTools);
    const findings: DoctorFinding[] = [];
    if (wantsTools && !hasTools)
      findings.push(
        warning(
          `${name} supports no tool calls.`,
          'The agent uses the protocol `json` with it, which works less well. Choose a model with tools, or set PROTOCOL to `json`.',
        ),
      );
    if (reply.cost === null)
      findings.push(
        warning(
          `The price of ${name} is unknown, so budgets in dollars do not limit it.`,
          'Give its price in MODEL_CATALOG (docs/models.md).',
        ),
      );
    return findings.length > 0 ? findings : [ok(`${name} answers, from ${opened.destination}.`)];
  } catch (error) {
    return [fault(`${name} does not answer: ${modelErrorWords(error)}`, `${KEY}.`)];
  }
}

async function askWithTools(opened: Model, wantsTools: boolean) {
  if (!wantsTools) return { reply: await askProbe(opened, []), hasTools: false };
  try {
    return { reply: await askProbe(opened, [PROBE_TOOL]), hasTools: true };
  } catch (error) {
    if (!(error instanceof ToolsUnsupported)) throw error;
    return { reply: await askProbe(opened, []), hasTools: false };
  }
}

async function examineEmbedding(
  name: string,
  { models }: Config,
): Promise<readonly DoctorFinding[]> {
  try {
    const embedder = openEmbedder(name, () => models.settings, models.catalog);
    await embedder.embed([PROBE_QUESTION], AbortSignal.timeout(TIMEOUT_MS));
    return [ok(`${name} answers.`)];
  } catch (error) {
    return [
      fault(
        `${name} does not answer: ${modelErrorWords(error)}`,
        'Check EMBEDDING_MODEL and its key.',
      ),
    ];
  }
}

const modelErrorWords = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.');

export const MODEL_CHECKS: readonly DoctorCheck[] = [model];
