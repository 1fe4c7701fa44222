import { describeWritten } from './written.ts';

describeWritten(100_000, 15_000);
