import { z } from 'zod';
import type { Operator } from '../app/service/service.ts';
import { DEFAULT_INSTRUCTIONS } from '../session/settings/index.ts';
import { check, type ConfigFault, type Variables } from './faults.ts';
import {
  dollarAmount,
  flag,
  repositoryFiles,
  threshold,
  whole,
  wholeOrNone,
} from './values/fields.ts';

/** How the agent works and what it may use. */
export type AgentConfig = Omit<
  Operator,
  'models' | 'onlyModel' | 'reviewModel' | 'areImagesSeen' | 'effort' | 'mostEffort' | 'fallback'
>;

export const AgentVariables = z
  .object({
    PROTOCOL: z
      .enum(['auto', 'native', 'json', 'react'], 'must be `auto`, `native`, `json` or `react`')
      .default('auto')
      .describe(
        'How models call tools: `native`, `json`, `react`. `auto` uses `native`, and [steps down](models.md#protocols) if a server does not support tools',
      ),
    AGENT_MODE: flag(true).describe(
      '`false`: no tools in any repository. Each run gives one answer in a comment and changes nothing',
    ),
    TOOLS_ENABLED: flag(true).describe('`false`: same as `AGENT_MODE=false`'),
    AGENT_MAX_ITERATIONS: whole(1, 1000).default(50).describe('Model replies per run'),
    AGENT_MAX_MINUTES: whole(1, 1440).default(60).describe('Minutes of wall time per run'),
    // 60 kB of source are about 20,000 tokens, plus a third as a JSON string.
    AGENT_MAX_TOKENS: whole(256, 1_000_000)
      .default(32_000)
      .describe(
        'Tokens per reply, including reasoning. The default is enough to write a file of 60 kB. Models known to support less get a lower limit',
      ),
    // The input of 50 requests with a full context window (200,000 tokens) each. It limits the cost if
    // prices are unknown; with a known price, BUDGET_RUN is usually reached first.
    AGENT_MAX_RUN_TOKENS: wholeOrNone(10_000, 1_000_000_000)
      .prefault('10000000')
      .describe(
        'Tokens of all requests and replies of a run; `none`: no limit. The only limit on cost if the [price is unknown](models.md#prices). The default allows 50 requests of 200,000 tokens',
      ),
    BUDGET_RUN: dollarAmount(10).describe('US dollars per run; `none`: no limit'),
    BUDGET_ISSUE: dollarAmount(30).describe(
      'US dollars for all runs of one issue; `none`: no limit',
    ),
    BUDGET_REPOSITORY_DAY: dollarAmount(100).describe(
      'US dollars per day for all sessions of one repository; `none`: no limit',
    ),
    BUDGET_PERSON_DAY: dollarAmount().describe(
      'US dollars per day for what one person requests, in all repositories. Work counts for whoever began it, whatever others add',
    ),
    BUDGET_DAY: dollarAmount(500).describe(
      'US dollars per day for the whole service, all its processes together; `none`: no limit',
    ),
    BUDGET_MONTH: dollarAmount().describe(
      'US dollars per calendar month (UTC) for the whole service, all its processes together',
    ),
    COMPACT_ENABLED: flag(true).describe(
      'Summarise the older part of a conversation that grows too long. `false`: drop it',
    ),
    COMPACT_THRESHOLD: threshold('75%').describe(
      "When to summarise: above a share of the model's context window (`75%`), a number of messages (`30`), or either (`30,75%`). An unknown window counts as 128,000 tokens, until the server rejects a request",
    ),
    COMPACT_KEEP_RECENT: whole(1, 1000)
      .default(10)
      .describe(
        'Number of newest messages that are not summarised, if the context window has room for them',
      ),
    AGENT_MAX_MESSAGES: whole(4, 10_000)
      .default(40)
      .describe(
        'If `COMPACT_ENABLED=false`: above this number of messages, drop the older half, but keep the first message and at least ten in total (or this number, if it is lower)',
      ),
    SELF_REVIEW: flag(true).describe(
      'A model reviews each change once before it is submitted, and the agent fixes what it finds. `false`: in no repository',
    ),
    INSTRUCTION_FILES: repositoryFiles(DEFAULT_INSTRUCTIONS).describe(
      'Files of the repository to give the model with its task, in order, comma-separated; read from the default branch only. `none` for no files',
    ),
  })
  .refine(
    ({ COMPACT_THRESHOLD: { messages }, COMPACT_KEEP_RECENT: recent }) =>
      messages === undefined || messages > recent,
    {
      path: ['COMPACT_THRESHOLD'],
      error: 'must be greater than COMPACT_KEEP_RECENT; otherwise there is nothing to summarise',
    },
  );

export function readAgent(variables: Variables, faults: ConfigFault[]): AgentConfig | undefined {
  const read = check(AgentVariables, variables, faults);
  if (read === undefined) return undefined;
  const { COMPACT_THRESHOLD: threshold, COMPACT_KEEP_RECENT: keepRecent } = read;
  return {
    protocol: read.PROTOCOL,
    selfReview: read.SELF_REVIEW,
    mode: read.AGENT_MODE && read.TOOLS_ENABLED ? 'agent' : 'completion',
    limits: {
      turns: read.AGENT_MAX_ITERATIONS,
      minutes: read.AGENT_MAX_MINUTES,
      outputTokens: read.AGENT_MAX_TOKENS,
      runTokens: read.AGENT_MAX_RUN_TOKENS,
      dollars: {
        run: read.BUDGET_RUN,
        issue: read.BUDGET_ISSUE,
        repositoryDay: read.BUDGET_REPOSITORY_DAY,
        personDay: read.BUDGET_PERSON_DAY,
        serviceDay: read.BUDGET_DAY,
        serviceMonth: read.BUDGET_MONTH,
      },
    },
    relief: {
      compaction: read.COMPACT_ENABLED ? { ...threshold, keepRecent } : undefined,
      maxMessages: read.AGENT_MAX_MESSAGES,
    },
    instructionFiles: read.INSTRUCTION_FILES,
  };
}
