// What agents wrote down for later sessions of the same repository.
import type { Effect } from './effect.ts';

export interface Memory {
  /** Counts up in its repository, and is never given to another memory. */
  readonly number: number;
  readonly text: string;
  /** The session that wrote it, and its issue. */
  readonly session: string;
  readonly issue: number;
  /** ISO time. */
  readonly at: string;
  /** The session that wrote it had read words of people who may not write to the repository. */
  readonly fromStrangers: boolean;
}

export interface RememberedFact {
  readonly number: number;
  /** It was there already. */
  readonly isKnown: boolean;
  /** Memories that were deleted to make room for it. */
  readonly dropped: number;
}

/** The memories of a session's repository, for its tools. */
export interface Memories {
  /** Safe to repeat with the same `at`. @throws {TellModel} if nothing is left of the text */
  remember(text: string, at: Date): Promise<RememberedFact & { readonly isRedacted: boolean }>;
  /** The memories that match, best first. */
  search(query: string, limit: number, signal: AbortSignal): Promise<FoundMemories>;
}

interface FoundMemories {
  readonly memories: readonly Memory[];
  /** The search by meaning failed; by words it did not. */
  readonly isByWordsOnly?: true;
  /** What was sent to an embedding server. */
  readonly effects: readonly Effect[];
}

/** Numbers of memories, best first. */
export interface RankedMemories {
  /** By the words that they have in common with the query, whatever their endings. */
  readonly byWords: readonly number[];
  /** By sequences of three characters: other spellings, and parts of names. */
  readonly byTrigrams: readonly number[];
}

export interface NewMemory {
  /** The same if the call is repeated after a crash, and another for any other call of the session. */
  readonly call: string;
  readonly text: string;
  readonly fromStrangers: boolean;
}

/** A vector has the length 1. */
export interface MemoryVector {
  readonly number: number;
  readonly vector: Float32Array;
}

/** Vectors of two kinds cannot be compared. */
export interface VectorKind {
  readonly model: string;
  readonly dimensions: number;
}

export interface MemoryVectors {
  readonly known: readonly MemoryVector[];
  readonly missing: readonly Pick<Memory, 'number' | 'text'>[];
}

/** The newest memories of a repository, and how many there are. */
export interface MemoryList {
  readonly total: number;
  readonly memories: readonly Memory[];
}

/**
 * The memories of repositories. Every operation is given a session, and reaches the memories of its repository
 * only: GitHub's number for it is read from the session's row and stays the same if it is renamed or moved.
 */
export interface MemoryStore {
  /**
   * Safe to repeat with the same `call`. A text that is known is not stored again. If there are too many, those of
   * sessions that had read strangers' words go first, then those that were found or written the longest time ago.
   */
  remember(session: string, memory: NewMemory): Promise<RememberedFact>;
  /** The numbers of the memories that match, best first, by each way of searching. */
  rank(session: string, query: string): Promise<RankedMemories>;
  /** Those of the given numbers that exist, in the given order. They count as used. */
  recall(session: string, numbers: readonly number[]): Promise<readonly Memory[]>;
  /** Newest first. */
  list(session: string, limit: number): Promise<MemoryList>;
  /** Those of the given numbers that exist. */
  find(session: string, numbers: readonly number[]): Promise<readonly Memory[]>;
  /**
   * The vectors of one model and of one length, and the newest memories that have none, up to a limit. A server may
   * have put another model behind the same name.
   */
  vectors(session: string, kind: VectorKind, limit: number): Promise<MemoryVectors>;
  /** Replaces other vectors. Memories that are gone are left out. */
  saveVectors(session: string, model: string, vectors: readonly MemoryVector[]): Promise<void>;
  /**
   * Deletes the text of a memory. `by` is who asks: if they ask again, the answer is the same. Resolves with whether
   * there was such a memory.
   */
  forget(session: string, number: number, by: string): Promise<boolean>;
}

/** What became of a command about memories. `unknown`: there are no memories with these numbers. */
export type MemoryAnswer =
  | { readonly kind: 'listed'; readonly total: number; readonly memories: readonly Memory[] }
  | {
      readonly kind: 'shown';
      readonly memories: readonly Memory[];
      readonly unknown: readonly number[];
    }
  | {
      readonly kind: 'forgotten';
      readonly numbers: readonly number[];
      readonly unknown: readonly number[];
    }
  /** It was to delete something and did not say what. */
  | { readonly kind: 'unclear' };
