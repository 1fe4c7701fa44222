import { z } from 'zod';
import type { Operator } from '../app/service/service.ts';
import { DEFAULT_INSTRUCTIONS } from '../session/settings/index.ts';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { dollars, flag, repositoryFiles, threshold, whole, wholeOrNone } from './fields.ts';

/** How the agent works, and what it may use. */
export type AgentConfig = Omit<Operator, 'models'>;

export const AgentVariables = z
  .object({
    PROTOCOL: z
      .enum(['auto', 'native', 'json', 'react'], 'not `auto`, `native`, `json` or `react`')
      .default('auto')
      .describe(
        'How a model is asked to call tools: `native`, `json`, `react`. `auto` takes `native`, and [steps down](models.md#protocols) where a server refuses tools',
      ),
    AGENT_MODE: flag(true).describe(
      '`false`: no tools for any repository. Each run is one answer, written as a comment; nothing is changed',
    ),
    TOOLS_ENABLED: flag(true).describe('`false`: the same'),
    AGENT_MAX_ITERATIONS: whole(1, 1000).default(50).describe('Replies of the model for one run'),
    AGENT_MAX_MINUTES: whole(1, 1440).default(60).describe('Minutes of wall time for one run'),
    // 60 kB of source are about 20,000 tokens, and a third more as a JSON string.
    AGENT_MAX_TOKENS: whole(256, 1_000_000)
      .default(32_000)
      .describe(
        'Tokens of one reply, its reasoning included: enough to write a file of 60 kB. A model that is known to write less is asked for less',
      ),
    // What the 50 replies of a run read where each gets a usual window full (200,000 tokens). It is
    // the brake where dollars cannot be counted; with a known price BUDGET_RUN is felt first.
    AGENT_MAX_RUN_TOKENS: wholeOrNone(10_000, 1_000_000_000)
      .prefault('10000000')
      .describe(
        'Tokens of all requests and replies of one run; `none`: no limit. The one brake on cost where the [price is not known](models.md#prices): 50 replies to requests of 200,000 tokens',
      ),
    BUDGET_RUN: dollars(10).describe('US dollars for one run; `none`: no limit'),
    BUDGET_ISSUE: dollars(30).describe('The same for all runs of one issue'),
    BUDGET_REPOSITORY_DAY: dollars(100).describe(
      'The same for all sessions of one repository, each day',
    ),
    COMPACT_ENABLED: flag(true).describe(
      'A conversation that has grown too long is summarised by the model. `false`: its older part is dropped',
    ),
    COMPACT_THRESHOLD: threshold('75%').describe(
      "When: above a share of the model's context window (`75%`), a number of messages (`30`), or either (`30,75%`). Where the window is not known, 128,000 tokens are assumed",
    ),
    COMPACT_KEEP_RECENT: whole(1, 1000)
      .default(10)
      .describe('The newest messages, which stay as they are'),
    AGENT_MAX_MESSAGES: whole(4, 10_000)
      .default(40)
      .describe('With compaction off: above so many messages, the older half is dropped'),
    INSTRUCTION_FILES: repositoryFiles(DEFAULT_INSTRUCTIONS).describe(
      'Files of the repository that the model is given with its task, separated by commas, in this order; from the default branch only. `none` reads none',
    ),
  })
  .refine(
    ({ COMPACT_THRESHOLD: { messages }, COMPACT_KEEP_RECENT: recent }) =>
      messages === undefined || messages > recent,
    {
      path: ['COMPACT_THRESHOLD'],
      error: 'not above COMPACT_KEEP_RECENT: nothing would be left to summarise',
    },
  );

export function readAgent(variables: Variables, faults: ConfigFault[]): AgentConfig | undefined {
  const read = check(AgentVariables, variables, faults);
  if (read === undefined) return undefined;
  const { COMPACT_THRESHOLD: threshold, COMPACT_KEEP_RECENT: keepRecent } = read;
  return {
    protocol: read.PROTOCOL,
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
      },
    },
    memory: {
      compaction: read.COMPACT_ENABLED ? { ...threshold, keepRecent } : undefined,
      maxMessages: read.AGENT_MAX_MESSAGES,
    },
    instructionFiles: read.INSTRUCTION_FILES,
  };
}
