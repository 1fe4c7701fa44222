import type { GitEngine } from './engine.ts';
import { IsomorphicEngine } from './isomorphic.ts';
import { NativeEngine, type NativeEnginePlace } from './native/native-engine.ts';

export type EngineName = 'native' | 'isomorphic';

export interface ChosenEngine extends NativeEnginePlace {
  readonly engine: EngineName;
}

/** @param signal ends what the engine is doing */
export const openEngine = (place: ChosenEngine, signal: AbortSignal): GitEngine =>
  place.engine === 'native' ? new NativeEngine(place, signal) : new IsomorphicEngine(place);
