import { describeMissed } from './missed-generated.ts';

// All fifty: `npm run test:long`.
describeMissed([1, 2, 3]);
