import type { Command } from './command.ts';
import { pause, resume } from './pause-and-resume.ts';
import { start } from './start.ts';

/** All commands. A new one is a file and a line here. */
export const COMMANDS: readonly Command[] = [start, pause, resume];
