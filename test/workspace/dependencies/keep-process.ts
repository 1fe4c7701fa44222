// A process that keeps what a directory has as dependencies, to be killed in the middle of that.
import {
  DependencyCache,
  type Roots,
} from '../../../src/workspace/dependencies/dependency-cache.ts';
import type { CachePlace } from '../../../src/workspace/git/engines/native/cache-room.ts';

export interface Keeping {
  readonly cache: CachePlace;
  readonly url: string;
  readonly key: string;
  readonly from: Roots;
}

const { cache, url, key, from } = JSON.parse(process.argv[2] ?? '') as Keeping;
const store = new DependencyCache(cache, url, new AbortController().signal);
await store.locked(async () => {
  if ((await store.find(key)) !== undefined) return process.send?.('found');
  await store.keep(key, ['node_modules'], from, true);
  return process.send?.('kept');
});
process.disconnect();
