export default {
  testEnvironment: '<rootDir>/test/support/leak-environment.js',
  globalSetup: '<rootDir>/test/support/database-server.ts',
  globalTeardown: '<rootDir>/test/support/stop-database-server.ts',
  reporters: ['default', '<rootDir>/test/support/closing-line.js'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.js' },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // `npm run coverage`. By V8: the code runs as it ships, with no instrumentation.
  coverageProvider: 'v8',
  collectCoverageFrom: ['<rootDir>/src/**/*.ts'],
  coverageReporters: ['text-summary', 'html'],
  // Jest leaves a core idle; much of this suite waits for processes.
  maxWorkers: '100%',
  testTimeout: 30_000,
  // Nothing is watched: asking for its service takes a process.
  watchman: false,
};
