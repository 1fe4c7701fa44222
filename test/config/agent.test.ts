import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { faultsOf, GOOD } from './good.ts';

const agentOf = (environment: Record<string, string>) =>
  readConfig({ ...GOOD, ...environment }).agent;

describe('how the agent works', () => {
  it('has a default for everything', () => {
    expect(agentOf({})).toEqual({
      protocol: 'auto',
      selfReview: true,
      mode: 'agent',
      limits: {
        turns: 50,
        minutes: 60,
        outputTokens: 32_000,
        runTokens: 10_000_000,
        dollars: { run: 10, issue: 30, repositoryDay: 100, serviceDay: 500 },
      },
      relief: {
        compaction: { messages: undefined, share: 0.75, keepRecent: 10 },
        maxMessages: 40,
      },
      instructionFiles: [
        'CLAUDE.md',
        'AGENT.md',
        'AGENTS.md',
        'docs/TOOL_ARCHITECTURE.md',
        '.github/copilot-instructions.md',
      ],
    });
  });

  it.each([
    [{ AGENT_MODE: 'false' }, 'completion'],
    [{ TOOLS_ENABLED: 'false' }, 'completion'],
    [{ AGENT_MODE: 'true', TOOLS_ENABLED: 'FALSE' }, 'completion'],
    [{ AGENT_MODE: 'true', TOOLS_ENABLED: 'true' }, 'agent'],
    [{ AGENT_MODE: '' }, 'agent'],
  ])('is with %j the mode %s', (environment, mode) => {
    expect(agentOf(environment).mode).toBe(mode);
  });

  it('has budgets in dollars and cents, each of which can be switched off', () => {
    const { limits } = agentOf({
      BUDGET_RUN: '2.50',
      BUDGET_ISSUE: 'none',
      BUDGET_REPOSITORY_DAY: ' 1000 ',
      BUDGET_PERSON_DAY: '5',
      BUDGET_DAY: 'none',
      BUDGET_MONTH: '2000',
      AGENT_MAX_RUN_TOKENS: 'none',
    });
    expect(limits.dollars).toEqual({
      run: 2.5,
      repositoryDay: 1000,
      personDay: 5,
      serviceMonth: 2000,
    });
    expect(limits.runTokens).toBeUndefined();
  });

  it.each([
    ['30', { messages: 30, share: undefined }],
    ['50%', { messages: undefined, share: 0.5 }],
    ['30,75%', { messages: 30, share: 0.75 }],
    ['75% , 30', { messages: 30, share: 0.75 }],
  ])('compacts a conversation at COMPACT_THRESHOLD=%s', (value, threshold) => {
    const { relief } = agentOf({ COMPACT_THRESHOLD: value });
    expect(relief.compaction).toEqual({ ...threshold, keepRecent: 10 });
  });

  it('only drops messages if compaction is off', () => {
    const { relief } = agentOf({ COMPACT_ENABLED: 'false', AGENT_MAX_MESSAGES: '20' });
    expect(relief).toEqual({ compaction: undefined, maxMessages: 20 });
  });

  it('reads the instruction files in the order that is given, or none', () => {
    const order = agentOf({ INSTRUCTION_FILES: 'docs/agents.md, CLAUDE.md' });
    expect(order.instructionFiles).toEqual(['docs/agents.md', 'CLAUDE.md']);
    expect(agentOf({ INSTRUCTION_FILES: 'none' }).instructionFiles).toEqual([]);
  });

  it.each([
    ['PROTOCOL', 'xml', 'must be `auto`, `native`, `json` or `react`'],
    ['PROTOCOL', 'none', 'must be `auto`'],
    ['AGENT_MODE', 'perhaps', 'must be `true` or `false`'],
    ['AGENT_MAX_ITERATIONS', '0', 'must be a whole number from 1 to 1000'],
    ['AGENT_MAX_ITERATIONS', '1e2', 'must be a whole number'],
    ['AGENT_MAX_MINUTES', '1.5', 'must be a whole number'],
    ['AGENT_MAX_TOKENS', '-1', 'must be a whole number'],
    ['AGENT_MAX_RUN_TOKENS', '5', 'must be a whole number from 10000 to 1000000000, or `none`'],
    ['AGENT_MAX_MESSAGES', 'none', 'must be a whole number'],
    ['BUDGET_RUN', '0', 'must be an amount in US dollars'],
    ['BUDGET_RUN', '$5', 'must be an amount in US dollars'],
    ['BUDGET_ISSUE', '1,50', 'must be an amount in US dollars'],
    ['BUDGET_REPOSITORY_DAY', 'Infinity', 'must be an amount in US dollars'],
    ['COMPACT_THRESHOLD', '100%', 'must be a number of messages'],
    ['COMPACT_THRESHOLD', '30,40', 'must be a number of messages'],
    ['COMPACT_THRESHOLD', '30,', 'must be a number of messages'],
    ['COMPACT_THRESHOLD', '10', 'must be greater than COMPACT_KEEP_RECENT'],
    ['COMPACT_KEEP_RECENT', '0', 'must be a whole number'],
    ['INSTRUCTION_FILES', '/etc/passwd', 'the path of a file from the root'],
    ['INSTRUCTION_FILES', 'a/../../b', 'the path of a file from the root'],
    ['INSTRUCTION_FILES', 'none,AGENTS.md', '`none` alone, or a list'],
    ['INSTRUCTION_FILES', 'a,,b', 'the path of a file from the root'],
    ['INSTRUCTION_FILES', 'a\\b', 'the path of a file from the root'],
  ])('says of %s=%s what is wrong', (name, value, words) => {
    const faults = faultsOf({ ...GOOD, [name]: value });
    expect([...faults.keys()]).toEqual([name]);
    expect(faults.get(name)).toContain(words);
  });
});
