// The form of the table: a row for each fault, with its tries.
import type { Expected, Tale } from './tales.ts';
import type { World, WorldOptions } from './world.ts';

/** How long a story is when nothing happens to it. */
export interface Length {
  /** Entries of its journal. */
  readonly entries: number;
  /** Requests to GitHub. */
  readonly requests: number;
  /** Those of them that are no `GET`. */
  readonly writes: number;
  /** Requests to the model. */
  readonly replies: number;
}

/**
 * Makes the fault happen while the story is played. Resolves when it has happened, and the services are up again.
 * Rejects with `DidNotHappen` if the story was over before.
 */
export type Strike = (over: AbortSignal) => Promise<void>;

/** The story had no such moment this time: there may be an edit of a comment more or less. */
export class DidNotHappen extends Error {}

export interface Try extends Omit<WorldOptions, 'files' | 'scripts'> {
  /** With the name of the row, it says what happens when. */
  readonly name: string;
  readonly tale: Tale;
  /** Prepares the fault. The story begins when this has resolved. */
  readonly arm: (world: World) => Promise<Strike>;
  /** What the try needs of the machine, made and removed around it. */
  readonly before?: () => Promise<void>;
  readonly after?: () => Promise<void>;
  /** Instead of the story's own part of the people. */
  readonly play?: (world: World) => Promise<void>;
  /** Instead of what comes of the story; `null`: it ends early, in whatever way the issue says. */
  readonly expected?: Expected | null;
  /** The App cannot write there at the end, so that GitHub shows an earlier state. */
  readonly isMuted?: boolean;
}

export interface Row {
  readonly fault: string;
  /** So many tries of it at least, unless a number for all rows was asked for. */
  readonly least?: number;
  readonly tries: (lengthOf: (tale: Tale) => Length) => readonly Try[];
  /** Why it cannot be tried on this machine; undefined: it can. */
  readonly skipped?: () => Promise<string | undefined>;
}
