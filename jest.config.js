export default {
  testEnvironment: '<rootDir>/test/support/leak-environment.js',
  reporters: ['default', '<rootDir>/test/support/closing-line.js'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.js' },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testTimeout: 30_000,
};
