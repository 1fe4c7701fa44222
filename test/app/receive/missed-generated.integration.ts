import { describeMissed } from './missed-generated.ts';

// All fifty: `npm run test:all`.
describeMissed([1, 2, 3]);
