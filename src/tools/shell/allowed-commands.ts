import { matchesCommand } from '../../lib/command-pattern.ts';
import { TellModel } from '../../lib/errors.ts';
import { readCommand } from './read-command.ts';

const MAX_NAMED = 10;

/**
 * Allows only the commands in the repository's settings: exactly as written there, or one simple command that
 * matches a pattern. A command with expansions, redirections or operators matches none.
 * @throws {TellModel} for any other
 */
export function requireAllowed(command: string, allow: readonly string[] | undefined): void {
  if (allow === undefined || allow.includes(command.trim())) return;
  const isSimple = readCommand(command)?.isSimple === true && !/[\r\n]/.test(command.trim());
  if (isSimple && allow.some((pattern) => matchesCommand(pattern, command))) return;
  const named = allow.slice(0, MAX_NAMED).map((pattern) => `\`${pattern}\``);
  const more = allow.length > MAX_NAMED ? `, and ${allow.length - MAX_NAMED} more` : '';
  throw new TellModel(
    named.length === 0
      ? 'Not run: the repository settings allow no commands.'
      : `Not run: the repository settings allow only ${named.join(', ')}${more}, each as one simple command without operators.`,
  );
}
