import type { MemoryStore } from '../contracts/memory.ts';
import type { Store } from './store.ts';

/** What one session needs of the store while it is worked on. Without `memories`, nothing is remembered after it. */
export type SessionStore = Pick<
  Store,
  | 'claim'
  | 'append'
  | 'journal'
  | 'changes'
  | 'images'
  | 'spent'
  | 'sessionFor'
  | 'publications'
  | 'savePublication'
> & { readonly memories?: MemoryStore };
