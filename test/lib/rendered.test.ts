import { describeRendered } from './rendered.ts';

describeRendered(1, 500);
