import { describeCrashes, isPlayedFirst, MOMENTS } from './crashes.ts';

// All others: `npm run test:all`.
describeCrashes(MOMENTS.filter(isPlayedFirst));
