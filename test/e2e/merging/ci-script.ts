// The CI of the stories about checks.

/** Actions with one job, which fails while the file has a TODO; `log` is what its step prints. */
export const failsOnTodo = (log = 'not ok 1 - greets by name') => [
  {
    name: 'CI',
    jobs: [
      {
        name: 'test',
        steps: [
          {
            name: 'Run npm test',
            log,
            fails: { path: 'src/greet.js', contains: 'TODO' },
            error: 'Process completed with exit code 1.',
          },
        ],
      },
    ],
  },
];
