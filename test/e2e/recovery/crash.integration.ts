import { describeCrashes, MOMENTS } from './crashes.ts';

// All of them: `npm run test:all`.
describeCrashes(MOMENTS.filter(([name]) => name.includes('made the branch')));
