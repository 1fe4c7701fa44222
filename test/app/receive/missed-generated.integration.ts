import { describeMissed } from './missed-generated.ts';

// The others of fifty: `npm run test:all`.
describeMissed([1, 2, 3]);
