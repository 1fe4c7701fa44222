import { describeDisorder } from './disorder.ts';

// All 200: `npm run test:long`.
describeDisorder([1, 2, 3, 4], 150_000);
