import { describeMissed } from './missed-generated.ts';

/** The first three are integration tests. */
describeMissed(Array.from({ length: 47 }, (_none, at) => at + 4));
