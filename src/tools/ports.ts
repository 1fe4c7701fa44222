// What the tools need of the outside. Each interface is met structurally elsewhere (workspace/,
// github/) and wired in main.ts. Paths are relative to the repository's root, with `/`.
import type { AnswerWait, PlanItem } from '../contracts/effect.ts';
import type { Commands } from './commands-port.ts';
import type { Forge, OpenedPullRequest } from './forge-port.ts';
import type { Git } from './git-port.ts';

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  /** Bytes; 0 for anything but a file. */
  readonly size: number;
  /** Whether .gitignore leaves it out. */
  readonly isIgnored: boolean;
}

/** Contained file access. Every method throws `TellModel` for a path it refuses or cannot find. */
export interface Files {
  /** The whole file; one of more than `maxBytes` is refused, 1 MiB where not given. */
  read(path: string, maxBytes?: number): Promise<Uint8Array>;
  /** Creates missing directories; replaces the file whole. Answers whether one was there. */
  write(path: string, content: Uint8Array): Promise<{ readonly replaced: boolean }>;
  /** A file, or a link itself. */
  delete(path: string): Promise<void>;
  /**
   * Files, links or whole directories, all or none and as if at once: two may change places. Nothing
   * is replaced. Answers how many files that were.
   */
  rename(
    moves: readonly { readonly from: string; readonly to: string }[],
  ): Promise<{ readonly files: number }>;
  list(path: string): Promise<readonly DirectoryEntry[]>;
}

interface GrepRequest {
  /** A regular expression in JavaScript's syntax, matched in each line. */
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** The directory or file to search in. */
  readonly path: string;
  /** Only these files; without a slash it is about their names. */
  readonly glob?: string | undefined;
  /** Lines to give with each match, before it and after it. */
  readonly context: number;
  readonly maxMatches: number;
}

export interface FileMatches {
  readonly path: string;
  readonly lines: readonly {
    /** From 1. */
    readonly number: number;
    /** Cut around the match where it is long. */
    readonly text: string;
    /** False for a line of the context. */
    readonly matches: boolean;
  }[];
}

export interface GrepAnswer {
  readonly found: readonly FileMatches[];
  readonly ended: 'complete' | 'too many' | 'too slow';
  /** How many files were searched in. */
  readonly files: number;
  /** Files that were not searched, because of their size. */
  readonly tooLarge: readonly string[];
}

interface FindRequest {
  readonly glob: string;
  readonly path: string;
  readonly order: 'path' | 'newest';
  readonly limit: number;
}

interface Question {
  readonly text: string;
  /** The directories and files to look in. */
  readonly paths: readonly string[];
  readonly glob?: string | undefined;
  readonly maxFiles: number;
  /** Of each file. */
  readonly maxPassages: number;
  /** Lines of a passage. */
  readonly span: number;
}

export interface Passage {
  /** Its first line, from 1. */
  readonly start: number;
  readonly lines: readonly string[];
}

export interface Answer {
  /** The best first; and so are the passages of each. */
  readonly files: readonly { readonly path: string; readonly passages: readonly Passage[] }[];
  /** How many files were looked in. */
  readonly indexed: number;
  /** How many files found no room in the index. */
  readonly left: number;
}

/** Looks through the text files that .gitignore does not exclude. Refusals are `TellModel`. */
export interface Search {
  /** @throws {TellModel} also what is wrong with the pattern, and where */
  grep(request: GrepRequest, signal: AbortSignal): Promise<GrepAnswer>;
  /** The first of the files, and how many there are. */
  find(
    request: FindRequest,
    signal: AbortSignal,
  ): Promise<{ readonly paths: readonly string[]; readonly total: number }>;
  /** The files that a question in words is about. */
  rank(question: Question, signal: AbortSignal): Promise<Answer>;
}

export interface Ports {
  readonly files: Files;
  readonly search: Search;
  readonly git: Git;
  readonly forge: Forge;
  /** What the session has already: read by the flow tools. */
  readonly work: Work;
  readonly commands: Commands;
}

/** The session's work so far. */
export interface Work {
  /** The issue that it is about. */
  issue(): { readonly number: number; readonly title: string };
  plan(): readonly PlanItem[];
  /** Whether people have to agree to a plan before anything is changed, and have not yet. */
  planComesFirst(): boolean;
  /** How long a question of that time waits; `undefined`: without end. */
  answerWait(askedAt: Date): AnswerWait | undefined;
  /** The branch that commits go to; with `words`, the one that it would be if it were named so. */
  branch(words?: string): string;
  /** Where the pull request goes. */
  baseBranch(): string;
  /** Whether the session's branch holds a commit of ours. */
  hasCommits(): boolean;
  /** What the next commit takes, by path; `undefined`: all that changed. */
  chosen(): readonly string[] | undefined;
  /** With the logins that were asked to review it. */
  openPullRequest(): (OpenedPullRequest & { readonly reviewers: readonly string[] }) | undefined;
  /** Logins of those who should review it: who asked for the work, and whom the settings name. */
  reviewers(): readonly string[];
  /** Comments of the agent's own in this run. */
  comments(): number;
}
