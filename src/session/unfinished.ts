import type { RunInfo } from './session.ts';

/** Whether the run ended its work with less than was asked for. */
export const isUnfinished = (run: Pick<RunInfo, 'finish'> | undefined): boolean =>
  run?.finish?.outcome === 'partial' || run?.finish?.outcome === 'cannot';
