/** Of a model that was not asked. A `Usage` of contracts/. */
export const NO_USAGE = { input: 0, cached: 0, written: 0, output: 0, reasoning: 0 } as const;
