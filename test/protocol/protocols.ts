// The protocols that the service has.
import type { Publishing } from './publication-model.ts';
import type { Protocol } from './session-model.ts';

export const SESSION: Protocol = {
  isFenced: true,
  hasFreshClaims: true,
  journalsFirst: true,
  looksUp: true,
  compares: true,
  wakesWhenLost: true,
};

export const PUBLISHING: Publishing = {
  looksUp: true,
  removes: true,
  compares: true,
  restarts: true,
};
