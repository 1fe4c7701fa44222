import { z } from 'zod';

const MAX_COMMAND = 1_000;
const MAX_ALLOWED = 50;
const MAX_SETUP = 10;

const COMMAND = 'must be a command on one line, such as "npm test"';
const COMMANDS = 'must be a command on one line, or a list of such commands';

const command = (error: string) =>
  z
    .string(error)
    .trim()
    .min(1, error)
    .max(MAX_COMMAND, `is longer than ${MAX_COMMAND} characters`)
    .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), error);

/** The command that runs a repository's tests. */
export const TestCommand = command(COMMAND)
  .optional()
  .describe('Test command; auto-detected if omitted');

export const SetupCommands = z
  .union(
    [
      command(COMMANDS).transform((one): readonly string[] => [one]),
      z
        .array(command(COMMANDS), COMMANDS)
        .max(MAX_SETUP, `has more than ${MAX_SETUP} commands`)
        .readonly(),
    ],
    COMMANDS,
  )
  .default([])
  .describe(
    'Commands that prepare a clone, such as `npm ci`; run before the first command of a run',
  );

export const AllowedCommands = z
  .strictObject(
    {
      allow: z
        .array(command(COMMANDS), COMMANDS)
        .max(MAX_ALLOWED, `has more than ${MAX_ALLOWED} entries`)
        .describe('The only commands the agent may run; `*` matches anything, as in `npm *`'),
    },
    'must contain `allow`, a list of commands',
  )
  .optional()
  .describe('Which commands the agent may run, if the operator allows commands at all');
