import { describeCrashes, isPlayedFirst, MOMENTS } from './crashes.ts';

describeCrashes(MOMENTS.filter((moment) => !isPlayedFirst(moment)));
