import type { Tool } from '../contracts/tool.ts';
import { runShellCommand } from './shell/run-shell-command.ts';

/**
 * When a run has a tool: always, unless its repository disables it, only if its repository enables it, or as by
 * default but only if the repository has skills, only if no command does the same, or only if it proposes sub-issues.
 */
export type Offer =
  | 'always'
  | 'default'
  | 'on request'
  | 'with skills'
  | 'without a shell'
  | 'to split';

type Candidate = Pick<Tool, 'name' | 'aliases' | 'safety'> & { readonly offer: Offer };

type Choice =
  | { readonly names: ReadonlySet<string> }
  /** What is wrong with the settings: Markdown, to follow the name of their source. */
  | { readonly fault: string };

/**
 * The names of the tools that a run has, according to its repository's settings. Dangerous tools are
 * included only if the operator allows them, whatever the repository says; with `onlyByName`, only if the
 * repository names them too. `limitsCommands`: the shell runs only some commands.
 */
export function chooseTools(
  tools: readonly Candidate[],
  given: ReadonlyMap<string, boolean>,
  { allowsDangerous = false, onlyByName = false, hasSkills = false, limitsCommands = false } = {},
): Choice {
  const wanted = byOwnNames(tools, given);
  const fault = faultOf(tools, wanted);
  if (fault !== undefined) return { fault };
  const isChosen = ({ name, safety, offer }: Candidate): boolean =>
    (safety === 'safe' || allowsDangerous) &&
    (wanted.get(name) ?? (isDefault(offer) && (safety === 'safe' || !onlyByName)));
  const shell = tools.find(({ name }) => name === runShellCommand.name);
  const hasShell = shell !== undefined && !limitsCommands && isChosen(shell);
  return { names: new Set(tools.filter(isChosen).map(({ name }) => name)) };

  function isDefault(offer: Offer): boolean {
    if (offer === 'with skills') return hasSkills;
    return offer === 'without a shell' ? !hasShell : offer !== 'on request';
  }
}

/** Without aliases. If a tool is named more than once, it is removed if any of its names is. */
function byOwnNames(
  tools: readonly Candidate[],
  given: ReadonlyMap<string, boolean>,
): ReadonlyMap<string, boolean> {
  const owners = new Map(
    tools.flatMap(({ name, aliases }) => [name, ...aliases].map((one) => [one, name] as const)),
  );
  const wanted = new Map<string, boolean>();
  for (const [one, isWanted] of given) {
    const name = owners.get(one) ?? one;
    wanted.set(name, isWanted && wanted.get(name) !== false);
  }
  return wanted;
}

function faultOf(
  tools: readonly Candidate[],
  wanted: ReadonlyMap<string, boolean>,
): string | undefined {
  const known = new Set(tools.map(({ name }) => name));
  const unknown = [...wanted.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0)
    return `lists unknown tools: ${list(unknown)}. Available tools: ${list([...known])}.`;
  const needed = tools.filter(({ offer }) => offer === 'always').map(({ name }) => name);
  const removed = needed.filter((name) => wanted.get(name) === false);
  if (removed.length > 0)
    return `disables ${list(removed)}, but every run needs it. These tools cannot be disabled: ${list(needed)}. Remove that line.`;
  return undefined;
}

const MAX_SHOWN = 50;

const list = (names: readonly string[]): string =>
  [
    ...names.slice(0, MAX_SHOWN).map((name) => `\`${name}\``),
    ...(names.length > MAX_SHOWN ? [`and ${names.length - MAX_SHOWN} more`] : []),
  ].join(', ');
