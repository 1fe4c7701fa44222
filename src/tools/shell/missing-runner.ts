import type { CommandDone } from '../../contracts/shell.ts';

/** A sentence that says which test runner is not installed, and what installs it; `undefined` if that is not why it failed. */
export function missingRunner(
  command: string,
  { exitCode }: Pick<CommandDone, 'exitCode'>,
  output: string,
): string | undefined {
  if (exitCode === 0) return undefined;
  const [, module] = /^\S*python\S*: No module named (\S+)$/m.exec(output) ?? [];
  if (module !== undefined)
    return words(module, `${command.split(' ', 1)[0]} -m pip install ${module}`);
  // It asks the registry first, which may be out of reach.
  const [, name] = /^npx --no-install (\S+)/.exec(command) ?? [];
  if (name !== undefined && /^npm (?:error|ERR!) (?:code E|npx canceled)/m.test(output))
    return words(name, 'npm install');
  if (exitCode !== 127) return undefined;
  const [, program] =
    /^\S*sh: (?:(?:line )?\d+: )?(\S+?): (?:command )?not found$/m.exec(output) ?? [];
  return program && words(program, installerFor(command));
}

function installerFor(command: string): string | undefined {
  const [manager] = /^(?:npm|pnpm|yarn|bun)\b/.exec(command) ?? [];
  if (manager !== undefined) return `${manager} install`;
  return command.startsWith('tox') ? 'python3 -m pip install tox' : undefined;
}

const words = (name: string, installer: string | undefined): string =>
  `${name} is not installed here. ${
    installer === undefined
      ? 'It has to be on the machine that runs commands.'
      : `What would install it: ${JSON.stringify(installer)}.`
  }`;
