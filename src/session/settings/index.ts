import { z } from 'zod';
import { AllowedCommands, SetupCommands, TestCommand } from './commands.ts';
import { oneOf, SETTINGS, YES_OR_NO } from './fields.ts';
import { Language } from './language.ts';
import { Limits } from './limits.ts';
import { InstructionList, Paths } from './paths.ts';
import { Base, Commits, Reviewers } from './pull-request.ts';
import { QuestionTimeout } from './question-timeout.ts';
import { Tools } from './tools.ts';

export const SETTINGS_FILE = '.github/issuewright.yml';
export const DEFAULT_LABEL = 'issuewright';

/** The operator's list, where the operator names none. */
export const DEFAULT_INSTRUCTIONS: readonly string[] = [
  'CLAUDE.md',
  'AGENT.md',
  'AGENTS.md',
  'docs/TOOL_ARCHITECTURE.md',
  '.github/copilot-instructions.md',
];

/** `.github/issuewright.yml`, read from the default branch only. */
export const RepositorySettings = z.strictObject(
  {
    label: z
      .string('has to be a text')
      .trim()
      .min(1, 'is empty')
      .max(50, 'is longer than 50 characters')
      .default(DEFAULT_LABEL)
      .describe('The label that starts work on an issue'),
    model: z
      .string('has to be a text such as `provider:name`')
      .optional()
      .describe(
        'One of the models that the operator offers, as `provider:name`; else the first of them',
      ),
    protocol: oneOf(['auto', 'native', 'json', 'react'])
      .optional()
      .describe('How the model is asked to call tools, where the operator left it at `auto`'),
    mode: oneOf(['agent', 'single', 'completion'])
      .default('agent')
      .describe(
        '`agent`: until the work is done; `single`: one reply and what it asks for; `completion`: one answer, no tools',
      ),
    plan: oneOf(['auto', 'ask'])
      .default('auto')
      .describe(
        '`ask`: the plan is shown first, and the work begins once somebody agrees to it; the label `issuewright:plan` asks for that on one issue',
      ),
    continuous: z
      .boolean(YES_OR_NO)
      .default(false)
      .describe(
        'Whether the oldest open issue with the label that was never begun is taken up when one is finished, while nobody is waited for',
      ),
    limits: Limits.default({}),
    paths: Paths.optional(),
    tools: Tools.default({}).describe(
      '[Tools](tools.md) by name: `true` adds one to the usual ones, `false` takes it away',
    ),
    base: Base.optional().describe(
      'The branch that work begins from and pull requests go to; else the default one',
    ),
    draft: z
      .boolean(YES_OR_NO)
      .default(true)
      .describe('Whether a pull request is a draft until the work is submitted'),
    reviewers: Reviewers.default([]).describe(
      'Logins of people who are asked to review besides the person who asked for the work; no teams',
    ),
    commits: Commits.default({ co_author: true, sign_off: false }),
    commands: AllowedCommands,
    setup: SetupCommands,
    test: TestCommand,
    tests: TestCommand.describe('Another word for `test`'),
    language: Language,
    question_timeout: QuestionTimeout.optional().describe(
      'How long a question waits for an answer, such as `12h` or `3d`; else it waits without end',
    ),
    who: oneOf(['write', 'maintain', 'admin'])
      .default('write')
      .describe('The least role of those who may ask for work and give commands'),
    answers_from: oneOf(['writers', 'author'])
      .default('writers')
      .describe('`author`: the author of the issue may answer questions too'),
    instructions: InstructionList.optional().describe(
      'Files with instructions for the agent, in this order, in place of the `INSTRUCTION_FILES` of the operator; an empty list: none',
    ),
  },
  SETTINGS,
);

export type RepositorySettings = z.infer<typeof RepositorySettings>;

/** What a file says, without defaults. */
export type GivenSettings = z.input<typeof RepositorySettings>;
