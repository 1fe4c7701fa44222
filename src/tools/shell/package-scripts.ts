// What the script of a package runs.

/** CommandWords of a command as they are written, with their quotes. */
export type CommandWords = readonly string[];

const MOST_DEPTH = 5;
const CALL = /^(?:npm|pnpm|yarn|bun) (?:run |run-script )?([\w:.-]+)$/;

export const isScriptCall = (command: string): boolean => CALL.test(command.trim());

/**
 * The commands of a script one by one, those of the scripts that it calls in their place, with npm's `pre` scripts.
 * `undefined`: it is more than simple commands with `&&` between them.
 */
export function commandsOfScript(
  scripts: ReadonlyMap<string, string>,
  name: string,
  depth = 0,
): readonly string[] | undefined {
  const script = scripts.get(name);
  if (script === undefined || depth > MOST_DEPTH) return undefined;
  const own = scripts.has(`pre${name}`) ? commandsOfScript(scripts, `pre${name}`, depth + 1) : [];
  const chain = chainOf(script);
  if (own === undefined || chain === undefined) return undefined;
  const all = [...own];
  for (const command of chain) {
    const [, called] = CALL.exec(command) ?? [];
    const isScript = called !== undefined && scripts.has(called);
    const inner = isScript ? commandsOfScript(scripts, called, depth + 1) : [command];
    if (inner === undefined) return undefined;
    all.push(...inner);
  }
  return all;
}

/** A quoted part, a word without quotes, `&&`, or a sign that only a shell understands. */
const PART = /'[^']*'|"[^"$`\\]*"|[^\s'"&|;<>()$`\\]+|&&|\s+|[^]/gu;

/** The simple commands between `&&`; `undefined` if there is anything else. */
export function chainOf(script: string): readonly string[] | undefined {
  const commands: string[] = [''];
  for (const [part] of script.trim().matchAll(PART)) {
    if (part === '&&') commands.push('');
    else if (/^[&|;<>()$`\\'"]$/.test(part)) return undefined;
    else commands.push(`${commands.pop() ?? ''}${part}`);
  }
  const trimmed = commands.map((command) => command.trim());
  return trimmed.includes('') ? undefined : trimmed;
}

/** `undefined` if it is no simple command. */
export function commandWords(command: string): CommandWords | undefined {
  const words: string[] = [''];
  for (const [part] of command.trim().matchAll(PART)) {
    if (/^(?:&&|[&|;<>()$`\\'"])$/.test(part)) return undefined;
    if (/^\s+$/.test(part)) words.push('');
    else words.push(`${words.pop() ?? ''}${part}`);
  }
  return words;
}

export const withoutQuotes = (word: string): string => word.replaceAll(/['"]/g, '');
