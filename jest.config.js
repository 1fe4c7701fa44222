import { availableParallelism } from 'node:os';

const kinds = (process.env.TEST_KINDS ?? 'test').split(',');

export default {
  testEnvironment: '<rootDir>/test/support/jest/leak-environment.js',
  runtime: '<rootDir>/test/support/jest/shared-libraries.js',
  globalSetup: '<rootDir>/test/support/jest/database-server.ts',
  globalTeardown: '<rootDir>/test/support/jest/stop-database-server.ts',
  reporters: [
    'default',
    '<rootDir>/test/support/jest/still-running.js',
    '<rootDir>/test/support/jest/closing-line.js',
  ],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/jest/strip-types.js' },
  // The kinds are described in CONTRIBUTING.md.
  testMatch: kinds.map((kind) => `<rootDir>/{test,packages/*/test}/**/*.${kind}.ts`),
  // `npm run coverage`. By V8: the code runs as it ships, with no instrumentation.
  coverageProvider: 'v8',
  collectCoverageFrom: ['<rootDir>/{src,packages/sandbox/src}/**/*.ts'],
  coverageReporters: ['text-summary', 'html'],
  testSequencer: '<rootDir>/test/support/jest/slow-first.js',
  // Much of this suite waits for processes: with a worker for each core, cores would idle. Not '150%', which Jest
  // takes for 150 workers.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Shared libraries are never freed, and starting a child process takes a large process long.
  workerIdleMemoryLimit: '400MB',
  // Ends what hangs. Other kinds wait for several runs of the service, on a machine that does other things too.
  testTimeout: kinds.join() === 'test' ? 60_000 : 300_000,
  // A test file that leaves something open fails by itself. What takes a worker long at its end is to free its memory,
  // which on a loaded machine is no fault.
  workerGracefulExitTimeout: 30_000,
  // Nothing is watched: asking for its service takes a process.
  watchman: false,
};
