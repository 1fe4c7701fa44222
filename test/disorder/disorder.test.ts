import { describeDisorder } from './disorder.ts';

// All 200: `npm run test:disorder`.
describeDisorder([1, 2, 3, 4, 5, 6], 60_000);
