// Scripts that complete the command line in a shell, from the commands themselves. Nothing is run at a Tab.
import type { Command as Parser } from 'commander';
import type { Command } from './command.ts';
import { spellCommand } from '../lib/program-name.ts';

const HELP = `
bash:  source <(${spellCommand('completion')} bash), in ~/.bashrc
zsh:   source <(${spellCommand('completion')} zsh), in ~/.zshrc after compinit
fish:  ${spellCommand('completion')} fish > ~/.config/fish/completions/issuewright.fish

Print it again after an upgrade of Issuewright.`;

/** `program`: the whole command line, with all commands once one of them runs. */
export const completionOf = (program: Parser): Command => ({
  name: 'completion',
  summary: 'print the completion script for your shell',
  group: 'More',
  define: (parser) =>
    parser
      .addArgument(parser.createArgument('<shell>', 'which shell').choices(Object.keys(SHELLS)))
      .addHelpText('after', HELP),
  run: async ({ arguments: [shell = ''], print }) => {
    print(SHELLS[shell]?.(commandsOf(program)).trim() ?? '');
    return 0;
  },
});

interface CompletedWord {
  readonly name: string;
  readonly description: string;
}

interface CompletedOption extends CompletedWord {
  readonly takesValue: boolean;
  readonly values: readonly string[];
}

/** `name` is empty for what comes before a command. */
interface CompletedCommand extends CompletedWord {
  readonly options: readonly CompletedOption[];
  /** What its arguments may be. */
  readonly words: readonly CompletedWord[];
}

function commandsOf(program: Parser): readonly CompletedCommand[] {
  const commands = program.createHelp().visibleCommands(program);
  const named = commands.map((command) => ({
    name: command.name(),
    description: command.summary() || command.description(),
  }));
  return [
    { name: '', description: '', options: optionsOf(program), words: named },
    ...commands.map((command) => ({
      name: command.name(),
      description: command.summary(),
      options: optionsOf(command),
      words:
        command.name() === 'help'
          ? named
          : command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map(asWord)),
    })),
  ];
}

const optionsOf = (command: Parser): readonly CompletedOption[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, description, required, optional, argChoices = [] }) => ({
      name: long ?? '',
      description,
      takesValue: required || optional,
      values: argChoices,
    }));

const asWord = (name: string): CompletedWord => ({ name, description: '' });

/** For a shell: what is in single quotes stands for itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** What comes after an option that takes a value, as `COMMAND OPTION`. */
const valuesOf = (commands: readonly CompletedCommand[]) =>
  commands.flatMap(({ name, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map((option) => ({ after: `${name} ${option.name}`, values: option.values })),
  );

const nameList = (commands: readonly CompletedCommand[]): string =>
  commands
    .map(({ name }) => name)
    .filter((name) => name !== '')
    .join('|');

/** `-o default`: where there is nothing to offer, files are. */
const bash = (commands: readonly CompletedCommand[]): string => `
# Completion of issuewright for bash.
_issuewright() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command= word found=
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in ${nameList(commands)}) command=$word && break ;; esac
  done
  case "$command $before" in
${valuesOf(commands)
  .map(({ after, values }) =>
    values.length === 0
      ? `    ${quoted(after)}) return ;;`
      : `    ${quoted(after)}) found=${quoted(values.join(' '))} ;;`,
  )
  .join('\n')}
    *) case $command in
${commands
  .map(({ name, options, words }) => {
    const names = [...words, ...options].map((one) => one.name).join(' ');
    return `      ${quoted(name)}) found=${quoted(names)} ;;`;
  })
  .join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -o default -F _issuewright issuewright
`;

const described = ({ name, description }: CompletedWord): string =>
  quoted(description === '' ? name : `${name}:${description}`);

const zsh = (commands: readonly CompletedCommand[]): string => `
#compdef issuewright
# Completion of issuewright for zsh.
_issuewright() {
  local command= word
  local -a found options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in (${nameList(commands)}) command=$word && break ;; esac
  done
  case "$command \${words[CURRENT-1]}" in
${valuesOf(commands)
  .map(({ after, values }) =>
    values.length === 0
      ? `    (${quoted(after)}) _files; return ;;`
      : `    (${quoted(after)}) found=(${values.map(quoted).join(' ')}); _describe value found; return ;;`,
  )
  .join('\n')}
  esac
  case $command in
${commands
  .map(
    ({ name, options, words }) =>
      `    (${quoted(name)})\n      found=(${words.map(described).join(' ')})\n      options=(${options.map(described).join(' ')}) ;;`,
  )
  .join('\n')}
  esac
  _describe word found
  _describe -o option options
}
compdef _issuewright issuewright
`;

const fish = (commands: readonly CompletedCommand[]): string => `
# Completion of issuewright for fish.
complete -c issuewright -f
${commands.flatMap(fishLines).join('\n')}
`;

function fishLines({ name, options, words }: CompletedCommand): readonly string[] {
  const when =
    name === '' ? '__fish_use_subcommand' : quoted(`__fish_seen_subcommand_from ${name}`);
  const start = `complete -c issuewright -n ${when}`;
  return [
    ...words.map(
      (word) => `${start} -a ${fishQuoted(word.name)} -d ${fishQuoted(word.description)}`,
    ),
    ...options.map(({ name: long, description, takesValue, values }) => {
      const choice = values.length === 0 ? '' : ` -f -a ${fishQuoted(values.join(' '))}`;
      const value = takesValue ? ` -r${choice}` : '';
      return `${start} -l ${long.replace(/^--/, '')}${value} -d ${fishQuoted(description)}`;
    }),
  ];
}

const fishQuoted = (text: string): string => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash,
  zsh,
  fish,
};
