import { describeWritten } from './written.ts';

describeWritten(Date.now() % 1_000_000_000, 15_000);
