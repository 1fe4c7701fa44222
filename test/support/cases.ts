/** How many random cases a test runs, or how long its texts are: more in `npm run test:all`. */
export const cases = (quick: number, long: number): number =>
  process.env['TEST_LONG'] === undefined ? quick : long;
