import type { Tool } from '../contracts/tool.ts';

/** Whether a run has a tool: always, unless its repository says no, or only where it says yes. */
export type Offer = 'always' | 'default' | 'on request';

type Candidate = Pick<Tool, 'name' | 'safety'> & { readonly offer: Offer };

type Choice =
  | { readonly names: ReadonlySet<string> }
  /** What is wrong with what was asked for: Markdown, to follow the name of who asks. */
  | { readonly fault: string };

/**
 * The names of the tools that a run has, after what its repository says of them by name. One that is
 * dangerous is among them only where the operator allows that, whatever the repository says; with
 * `onlyByName`, only where the repository names it too.
 */
export function chooseTools(
  tools: readonly Candidate[],
  wanted: ReadonlyMap<string, boolean>,
  { allowsDangerous = false, onlyByName = false } = {},
): Choice {
  const fault = faultOf(tools, wanted);
  if (fault !== undefined) return { fault };
  const chosen = tools.filter(
    ({ name, safety, offer }) =>
      (safety === 'safe' || allowsDangerous) &&
      (wanted.get(name) ?? (offer !== 'on request' && (safety === 'safe' || !onlyByName))),
  );
  return { names: new Set(chosen.map(({ name }) => name)) };
}

function faultOf(
  tools: readonly Candidate[],
  wanted: ReadonlyMap<string, boolean>,
): string | undefined {
  const known = new Set(tools.map(({ name }) => name));
  const unknown = [...wanted.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0)
    return `names what is no tool: ${list(unknown)}. The tools are: ${list([...known])}.`;
  const needed = tools.filter(({ offer }) => offer === 'always').map(({ name }) => name);
  const removed = needed.filter((name) => wanted.get(name) === false);
  if (removed.length > 0)
    return `takes ${list(removed)} away, without which no run can work. These stay: ${list(needed)}.`;
  return undefined;
}

const MAX_SHOWN = 50;

const list = (names: readonly string[]): string =>
  [
    ...names.slice(0, MAX_SHOWN).map((name) => `\`${name}\``),
    ...(names.length > MAX_SHOWN ? [`and ${names.length - MAX_SHOWN} more`] : []),
  ].join(', ');
