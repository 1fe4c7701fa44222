export default {
  testEnvironment: '<rootDir>/test/support/leak-environment.js',
  reporters: ['default', '<rootDir>/test/support/closing-line.js'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.js' },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  setupFiles: ['<rootDir>/test/support/no-network.js'],
  testTimeout: 30_000,
};
