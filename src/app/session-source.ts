import type { Entry } from '../session/entry.ts';
import { fold } from '../session/fold.ts';
import type { Store } from '../store/store.ts';
