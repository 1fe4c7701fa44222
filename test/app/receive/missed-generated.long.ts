import { describeMissed } from './missed-generated.ts';

describeMissed(Array.from({ length: 50 }, (_none, at) => at + 1));
