import { matchesCommand } from '../../lib/command-pattern.ts';
import { TellModel } from '../../lib/errors.ts';
import { readCommand } from './command-words.ts';

const MAX_NAMED = 10;

/**
 * Holds a command to those that the repository allows: as it stands there, or one simple command that fits
 * a pattern. Whatever a shell would expand, redirect or connect fits none.
 * @throws {TellModel} for any other
 */
export function requireAllowed(command: string, allow: readonly string[] | undefined): void {
  if (allow === undefined || allow.includes(command.trim())) return;
  const isSimple = readCommand(command).isSimple && !/[\r\n]/.test(command.trim());
  if (isSimple && allow.some((pattern) => matchesCommand(pattern, command))) return;
  const named = allow.slice(0, MAX_NAMED).map((pattern) => `\`${pattern}\``);
  const more = allow.length > MAX_NAMED ? `, and ${allow.length - MAX_NAMED} more` : '';
  throw new TellModel(
    `The settings of this repository allow ${named.join(', ') || 'no command'}${more}, each as one simple command without operators, and nothing else. It was not run.`,
  );
}
