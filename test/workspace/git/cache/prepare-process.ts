// A process that makes a spare work tree, to be killed in the middle of that.
import type { NativeEnginePlace } from '../../../../src/workspace/git/engines/engine.ts';
import { prepareSpare } from '../../../../src/workspace/git/engines/native/spare-tree.ts';

export interface PreparedPlace {
  readonly place: NativeEnginePlace & {
    readonly engine: 'native';
    readonly cache: NonNullable<NativeEnginePlace['cache']>;
  };
  readonly commit: string;
}

const { place, commit } = JSON.parse(process.argv[2] ?? '') as PreparedPlace;
await prepareSpare(place, commit, new AbortController().signal);
process.disconnect();
