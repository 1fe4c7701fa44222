import { describeCrashes, MOMENTS } from './crashes.ts';

describeCrashes(MOMENTS);
