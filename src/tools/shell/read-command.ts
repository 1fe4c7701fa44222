// What a command for `bash` or `sh` says, for checks before it runs. It is no security boundary: the sandbox is.
import { posix } from 'node:path';
import {
  forEachChild,
  parse,
  type Command,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';

export interface CommandText {
  /** The commands, also those within substitutions, loops and functions. */
  readonly commands: readonly SimpleCommand[];
  /** The files that input comes from and output goes to. */
  readonly files: readonly RedirectedFile[];
  /** Words beside commands: lists of loops, tests, cases. */
  readonly otherWords: readonly CommandWord[];
  /** The bodies of here-documents. */
  readonly documents: readonly string[];
  /** The text with `_` in place of what is only data: quoted text of several words, and here-documents. */
  readonly bare: string;
  /** Whether it is one command without expansions, redirections or operators. */
  readonly isSimple: boolean;
}

export interface SimpleCommand {
  /** With assignments before the program. */
  readonly words: readonly CommandWord[];
  /** Where it starts, as far as the text tells; `undefined` if it does not. */
  readonly directory: string | undefined;
}

interface RedirectedFile {
  readonly word: CommandWord;
  readonly directory: string | undefined;
}

export interface CommandWord {
  /** Without quotes. */
  readonly text: string;
  /** Whether any part of it is quoted. */
  readonly isQuoted: boolean;
  /** Whether nothing of it is expanded; globs and `~` count as literal. */
  readonly isLiteral: boolean;
}

/** Where a command starts, and where `cd` alone goes. */
interface Start {
  readonly directory: string;
  readonly home: string;
}

const ANYWHERE: Start = { directory: '/', home: '~' };

/** @returns `undefined` if the text is nested too deeply to be read */
export function readCommand(text: string, start: Start = ANYWHERE): CommandText | undefined {
  try {
    const script = parse(text);
    const reader = new Reader(text, start.home);
    reader.read(script, { directory: start.directory });
    const { commands, files, otherWords, documents, bare } = reader;
    return { commands, files, otherWords, documents, bare, isSimple: isSimple(script) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Runs the text that it is given; it may follow another program, as in `timeout 5 sh -c`. */
const SHELL = /^(?:.*\/)?(?:ba|da|z|k)?sh$/;
const RUNS_TEXT = /^(?:eval|trap)$/;

interface Shell {
  directory: string | undefined;
}

class Reader {
  readonly commands: SimpleCommand[] = [];
  readonly files: RedirectedFile[] = [];
  readonly otherWords: CommandWord[] = [];
  readonly documents: string[] = [];
  readonly #text: string;
  readonly #home: string;
  readonly #data: (readonly [start: number, end: number])[] = [];

  constructor(text: string, home: string) {
    this.#text = text;
    this.#home = home;
  }

  get bare(): string {
    let bare = '';
    let at = 0;
    for (const [start, end] of this.#data.toSorted(([a], [b]) => a - b)) {
      if (start < at) continue;
      bare += this.#text.slice(at, start) + '_'.repeat(end - start);
      at = end;
    }
    return bare + this.#text.slice(at);
  }

  /** @param isCode whether quoted text and here-documents are commands themselves */
  read(node: SyntaxNode, shell: Shell, isCode = false): void {
    if (node.type === 'Script' && node.source !== undefined) {
      // Positions in it are not those of the text.
      this.#readInner(node.source, shell);
      return;
    }
    if (node.type === 'Command') this.#readCommand(node, shell, isCode);
    else if (node.type === 'Pipeline') {
      const runsText = node.commands.some((one) => one.type === 'Command' && isInterpreter(one));
      forEachChild(node, (child) => this.read(child, { ...shell }, isCode || runsText));
    } else if (node.type === 'Word') {
      this.otherWords.push(wordOf(node));
      this.#readWord(node, shell, isCode);
    } else if (node.type === 'Redirect') {
      const { target } = node;
      if (target === undefined) return;
      this.files.push({ word: wordOf(target), directory: shell.directory });
      this.#readWord(target, shell, isCode);
    } else if (node.type === 'HereDoc') {
      this.documents.push(node.body.text);
      if (!isCode) this.#skipLiterals(node.body);
      forEachChild(node, (child) => this.read(child, { ...shell }, isCode));
    } else {
      const own = SUBSHELLS.has(node.type) ? { ...shell } : shell;
      forEachChild(node, (child) => this.read(child, own, isCode));
    }
  }

  #readInner(source: string, shell: Shell): void {
    const start = { directory: shell.directory ?? '/', home: this.#home };
    const inner = readCommand(source, start);
    this.commands.push(...(inner?.commands ?? []));
  }

  #readCommand(command: Command, shell: Shell, isCode: boolean): void {
    const { prefix, name, args } = command;
    const assigned = prefix.filter((one) => one.type === 'Assignment');
    const words = [...assigned, name, ...args].filter((one) => one !== undefined).map(wordOf);
    this.commands.push({ words, directory: shell.directory });
    const runsText = isCode || isInterpreter(command);
    forEachChild(command, (child) => {
      if (child.type === 'Word') this.#readWord(child, { ...shell }, runsText);
      else this.read(child, { ...shell }, runsText);
    });
    shell.directory = this.#directoryAfter(words, shell.directory);
  }

  #readWord(word: Word, shell: Shell, isCode: boolean): void {
    for (const part of word.parts ?? []) {
      if (!isCode && isQuote(part) && /\s/.test(part.text)) this.#skipLiterals(part);
      this.read(part, { ...shell }, isCode);
    }
  }

  /** Expansions within are commands. */
  #skipLiterals(node: {
    readonly pos: number;
    readonly end: number;
    parts?: readonly WordPart[] | undefined;
  }): void {
    const literals = node.parts?.filter(({ type }) => type === 'Literal') ?? [node];
    this.#data.push(...literals.map(({ pos, end }) => [pos, end] as const));
  }

  #directoryAfter(words: readonly CommandWord[], before: string | undefined): string | undefined {
    const [program, ...args] = programWords(words);
    if (program === 'pushd' || program === 'popd') return undefined;
    if (program !== 'cd') return before;
    const target = words.at(-1);
    if (args.length === 0 || target === undefined) return this.#home;
    if (!target.isLiteral || target.text === '-' || before === undefined) return undefined;
    return resolvePath(target.text, { directory: before, home: this.#home });
  }
}

const SUBSHELLS: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  'Subshell',
  'CommandExpansion',
  'ProcessSubstitution',
  'Coproc',
  'Function',
]);

/** Another user's home is a path of its own. */
export function resolvePath(path: string, { directory, home }: Start): string {
  const fromHome = /^~(?=\/|$)/.test(path) ? home + path.slice(1) : path;
  return posix.resolve(directory, fromHome);
}

const isQuote = ({ type }: WordPart): boolean =>
  type === 'SingleQuoted' || type === 'DoubleQuoted' || type === 'AnsiCQuoted';

const EXPANSION = /Expansion|Substitution/;

function wordOf(node: Command['args'][number]): CommandWord {
  if (node.type === 'Word') {
    const { parts = [], value } = node;
    return {
      text: value,
      isQuoted: parts.some(isQuote),
      isLiteral: !hasExpansion(parts),
    };
  }
  const { value } = node;
  if (value.type !== 'Word') return { text: node.text, isQuoted: false, isLiteral: false };
  const word = wordOf(value);
  return { ...word, text: `${node.name}=${word.text}` };
}

const hasExpansion = (parts: readonly WordPart[]): boolean =>
  parts.some(
    (part) =>
      EXPANSION.test(part.type) || (part.type === 'DoubleQuoted' && hasExpansion(part.parts)),
  );

const isInterpreter = ({ name, args }: Command): boolean =>
  RUNS_TEXT.test(name?.value ?? '') ||
  [name, ...args].some((word) => word?.type === 'Word' && SHELL.test(word.value));

function isSimple({ commands, errors = [] }: ReturnType<typeof parse>): boolean {
  const [statement, ...more] = commands;
  if (statement === undefined || more.length > 0 || errors.length > 0) return false;
  const { command, background } = statement;
  if (command.type !== 'Command' || background === true) return false;
  const { name, prefix, redirects, args } = command;
  const words = [name, ...args].filter((one) => one !== undefined).map(wordOf);
  return prefix.length === 0 && redirects.length === 0 && words.every((word) => word.isLiteral);
}

/** Before a command in the same simple command. */
const BEFORE = /^(?:\w+=.*|exec|command|builtin|env|nohup|nice|time|xargs|sudo|doas|busybox)$/s;

/** The words from the program's name on, without a system directory: `A=1 env /usr/bin/git push` is git. */
export function programWords(words: readonly CommandWord[]): readonly string[] {
  const start = words.findIndex(({ text }) => !BEFORE.test(text));
  if (start === -1) return words.slice(-1).map(({ text }) => text);
  const [name = '', ...rest] = words.slice(start).map(({ text }) => text);
  return [name.replace(/^(?:\/usr)?(?:\/local)?\/s?bin\//, ''), ...rest];
}
