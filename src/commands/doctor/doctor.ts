import type { Command } from '../command.ts';

const HELP = `
Run it where the service runs, with the same settings. It changes nothing. GitHub redelivers one
webhook, which has no effect the second time, and each model gets one short request for a fraction of a cent.

--fix also does what is safe: it hides files with secrets from other users of the machine, and creates labels that
are missing. The report says what was fixed.

--model checks only the models in MODEL, or the one you name, with twelve probes each: calls, results,
questions, long and cut replies, reasoning, images, token counts and the context window. It first prints the cost
(about 50,000 tokens), then how the server behaves and how Issuewright handles that. It needs no App.

Exit codes: 0 no fault (there may be warnings), 1 at least one fault, 2 wrong usage.`;

export const doctor: Command = {
  name: 'doctor',
  summary: 'check the whole set-up, and say how to fix each problem',
  group: 'Set it up',
  define: (parser) =>
    parser
      .option('--model [provider:name]', 'probe the server of the model instead')
      .option('--fix', 'fix what is safe to fix: modes of files, missing labels')
      .option('--json', 'print a JSON object, for scripts')
      .addHelpText('after', HELP),
  namesFaults: true,
  // The other commands start without all that is looked at.
  run: async (context) =>
    context.options['model'] === undefined
      ? (await import('./report.ts')).reportChecks(context)
      : (await import('./probe-report.ts')).reportProbes(context),
};
