/** How many random cases a test runs, how long its texts are, or what it leaves out: more in `npm run test:all`. */
export const cases = <T = number>(quick: T, long: T): T =>
  process.env['TEST_LONG'] === undefined ? quick : long;
