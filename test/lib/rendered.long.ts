import { describeRendered } from './rendered.ts';

describeRendered(100_000, 40_000);
