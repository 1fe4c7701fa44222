/** A coding agent that npm ships: one file, and one line in `index.ts`. */
export interface Peer {
  /** As `--with` names it. */
  readonly name: string;
  /** In the npm registry; the newest version unless one is named. */
  readonly package: string;
  readonly binary: string;
  /** Files of its home directory, by path. `url`: of the model server, without a path. */
  files(url: string): Readonly<Record<string, string>>;
  /** Added to its environment. */
  variables(url: string, home: string): Readonly<Record<string, string>>;
  /** The words of its command line. */
  words(prompt: string, url: string): readonly string[];
  /** Reads a line of its output; missing if that tells nothing of calls. */
  readonly watch?: () => Watch;
}

/** Hears each line as it is printed. */
export interface Watch {
  hear(line: string): void;
  readonly failedCalls: number;
  readonly commandMs: number;
}
