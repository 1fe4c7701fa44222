import { describeShuffledEvents } from './suite.ts';

// All 200: `npm run test:long`.
describeShuffledEvents([1, 2], 300_000);
