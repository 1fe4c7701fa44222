import type { Command } from '../command.ts';

const HELP = `
Run it where the service runs, with the same settings. Nothing is changed, but GitHub redelivers one webhook, which
has no effect the second time, and each model gets one short request, which costs a fraction of a cent.

Exit codes: 0 no fault (there may be warnings), 1 at least one fault, 2 wrong usage.`;

export const doctor: Command = {
  name: 'doctor',
  summary: 'check the whole set-up, and say how to fix each problem',
  group: 'Set it up',
  define: (parser) =>
    parser.option('--json', 'print a JSON object, for scripts').addHelpText('after', HELP),
  // The other commands start without all that is looked at.
  run: async (context) => (await import('./report.ts')).report(context),
};
