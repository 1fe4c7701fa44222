import { describeDisorder } from './disorder.ts';

// All 200: `npm run test:long`.
describeDisorder([1, 2], 150_000);
