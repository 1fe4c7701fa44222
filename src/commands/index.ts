import type { Command } from './command.ts';
import { pause } from './pause.ts';
import { resume } from './resume.ts';
import { start } from './start.ts';

/** All commands. A new one is a file and a line here. */
export const COMMANDS: readonly Command[] = [start, pause, resume];
