// Jest starts with the files that took longest in the last run. A new clone, as in CI, has had no run: it starts with
// the folders whose tests wait for services and servers, so that none of those is left alone at the end.
import Sequencer from '@jest/test-sequencer';

const SLOWEST = [
  /\/test\/(e2e|sandbox|shuffled-events|store)\/|\/(accessibility|growth|malicious|patterns|shown|written)\.\w+\.ts$/,
  /\/test\/(app|commands|playground|workspace)\/|\/(browser|fuzz|recipes|release)\.\w+\.ts$/,
];

function rank({ duration, path }) {
  if (typeof duration === 'number') return 0;
  const found = SLOWEST.findIndex((pattern) => pattern.test(path));
  return found === -1 ? SLOWEST.length : found;
}

export default class SlowFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
}
