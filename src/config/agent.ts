import { z } from 'zod';
import type { Operator } from '../app/run-context.ts';
import { DEFAULT_INSTRUCTIONS } from '../session/settings.ts';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { dollars, flag, repositoryFiles, threshold, whole, wholeOrNone } from './fields.ts';

/** How the agent works, and what it may use. */
export type AgentConfig = Omit<Operator, 'models'>;

export const AgentVariables = z
  .object({
    PROTOCOL: z
      .enum(['auto', 'native', 'json', 'react'], 'not `auto`, `native`, `json` or `react`')
      .default('auto'),
    AGENT_MODE: flag(true),
    TOOLS_ENABLED: flag(true),
    AGENT_MAX_ITERATIONS: whole(1, 1000).default(50),
    AGENT_MAX_MINUTES: whole(1, 1440).default(60),
    // 60 kB of source are about 20,000 tokens, and a third more as a JSON string.
    AGENT_MAX_TOKENS: whole(256, 1_000_000).default(32_000),
    // What the 50 replies of a run read where each gets a usual window full (200,000 tokens). It is
    // the brake where dollars cannot be counted; with a known price BUDGET_RUN is felt first.
    AGENT_MAX_RUN_TOKENS: wholeOrNone(10_000, 1_000_000_000).prefault('10000000'),
    BUDGET_RUN: dollars(10),
    BUDGET_ISSUE: dollars(30),
    BUDGET_REPOSITORY_DAY: dollars(100),
    COMPACT_ENABLED: flag(true),
    COMPACT_THRESHOLD: threshold('75%'),
    COMPACT_KEEP_RECENT: whole(1, 1000).default(10),
    AGENT_MAX_MESSAGES: whole(4, 10_000).default(40),
    INSTRUCTION_FILES: repositoryFiles(DEFAULT_INSTRUCTIONS),
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
