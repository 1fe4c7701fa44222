/** A rough reading of a command for `sh`, for early checks only. It is not a security boundary. */
export interface CommandText {
  /** The words of each simple command, including those in `$(…)` and after operators. */
  readonly commands: readonly (readonly Word[])[];
  /** Whether it is a single command without expansions, redirections or operators. */
  readonly isSimple: boolean;
}

interface Word {
  readonly text: string;
  /** Whether any part of it was quoted. */
  readonly isQuoted: boolean;
}

const SEPARATORS = ';&|()\n`';
const SPACE = ' \t\r';

/** Reads the text in one pass. Unclosed quotes extend to its end. */
export function readCommand(text: string): CommandText {
  const reader = new Reader();
  let rest = text;
  while (rest !== '') rest = rest.slice(reader.read(rest));
  return reader.end();
}

class Reader {
  readonly #commands: Word[][] = [[]];
  #isSimple = true;
  #word: { text: string; isQuoted: boolean } | undefined;

  /** Reads a token at the beginning of a text and returns its length. */
  read(text: string): number {
    const [first = ''] = text;
    if (first === "'") return this.#single(text);
    if (first === '"') return this.#double(text);
    if (first === '\\') return this.#escape(text);
    if (SPACE.includes(first)) this.#endWord();
    else if (SEPARATORS.includes(first)) this.#endCommand();
    else if (first === '>' || first === '<') this.#redirect();
    else if (first === '#' && this.#word === undefined)
      return /^[^\n]*/.exec(text)?.[0].length ?? 1;
    else this.#plain(first);
    return first.length;
  }

  end(): CommandText {
    this.#endWord();
    return {
      commands: this.#commands.filter((words) => words.length > 0),
      isSimple: this.#isSimple,
    };
  }

  #plain(character: string): void {
    if (character === '$' || character === '{' || character === '}') this.#isSimple = false;
    this.#add(character);
  }

  #single(text: string): number {
    const end = text.indexOf("'", 1);
    if (end === -1) this.#isSimple = false;
    const inside = text.slice(1, end === -1 ? undefined : end);
    this.#add(inside, true);
    return inside.length + 2;
  }

  #double(text: string): number {
    const [whole = '', inside = '', closing] = /^"((?:\\.|[^"\\])*)("?)/s.exec(text) ?? [];
    if (closing !== '"') this.#isSimple = false;
    this.#add(inside.replaceAll(/\\([$`"\\])/g, '$1'), true);
    if (!/(?<!\\)[$`]/.test(inside)) return Math.max(1, whole.length);
    this.#isSimple = false;
    // Command substitutions within it are commands too.
    for (const [, inner = ''] of inside.matchAll(/\$\(([^)]*)\)?|`([^`]*)`?/g))
      this.#commands.push(...readInner(inner));
    this.#commands.push([]);
    return Math.max(1, whole.length);
  }

  #escape(text: string): number {
    const [, escaped = ''] = text;
    if (escaped !== '\n') this.#add(escaped, true);
    return 1 + escaped.length;
  }

  #redirect(): void {
    this.#isSimple = false;
    this.#endWord();
  }

  #add(text: string, isQuoted = false): void {
    const before = this.#word ?? { text: '', isQuoted: false };
    this.#word = { text: before.text + text, isQuoted: before.isQuoted || isQuoted };
  }

  #endWord(): void {
    if (this.#word !== undefined) this.#commands.at(-1)?.push(this.#word);
    this.#word = undefined;
  }

  #endCommand(): void {
    this.#isSimple = false;
    this.#endWord();
    this.#commands.push([]);
  }
}

const readInner = (text: string): Word[][] => readCommand(text).commands.map((words) => [...words]);

/** Before a command in the same simple command, or a word of the shell before one. */
const BEFORE =
  /^(?:\w+=.*|if|then|else|elif|while|until|do|!|\{|time|exec|command|builtin|env|nohup|nice|xargs|sudo|doas|busybox)$/s;

/** The words from the program's name on, without its directory: `A=1 env /usr/bin/git push` is git. */
export function programOf(words: readonly Word[]): readonly string[] {
  const start = words.findIndex(({ text }) => !BEFORE.test(text));
  if (start === -1) return words.slice(-1).map(({ text }) => text);
  const [name = '', ...rest] = words.slice(start).map(({ text }) => text);
  return [name.slice(name.lastIndexOf('/') + 1), ...rest];
}
