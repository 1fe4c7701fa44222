import type { Terminal } from '../../src/commands/command.ts';

/** The output of a command goes to a file or a program. */
export const NO_TERMINAL: Terminal = { columns: undefined, paint: (_style, text) => text };
