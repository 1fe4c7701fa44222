import { describeShuffledEvents } from './suite.ts';

// All 280: `npm run test:all`.
describeShuffledEvents('issue', [1, 2], 300_000);
describeShuffledEvents('stack', [1], 300_000);
describeShuffledEvents('branch', [1], 300_000);
describeShuffledEvents('fork', [1], 300_000);
