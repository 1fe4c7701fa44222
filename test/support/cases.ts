/** How many random cases a test runs, or how long its texts are: less in `npm test` than in `npm run test:long`. */
export const cases = (quick: number, long: number): number =>
  process.env['TEST_LONG'] === undefined ? quick : long;
