// Loads the files that its arguments name, and prints each regular expression that they build at once by `new RegExp`.
import { pathToFileURL } from 'node:url';

const built = new Map<string, { file: string; source: string; flags: string }>();

globalThis.RegExp = new Proxy(RegExp, {
  construct(target, given: [string | RegExp, string?]) {
    const pattern = new target(...given);
    const [, file] = /(src\/[^)\s]*\.ts):\d+:\d+/.exec(callers()) ?? [];
    const { source, flags } = pattern;
    if (file !== undefined) built.set(`${file} ${source} ${flags}`, { file, source, flags });
    return pattern;
  },
});

/** The caller of the constructor; in a library, whose files lie below `node_modules`, it is none of ours. */
function callers(): string {
  const [, , , caller = ''] = (new Error().stack ?? '').split('\n');
  return caller.includes('node_modules') ? '' : caller;
}

/** Runs a command when it is loaded, and has no expression of its own. */
const PROGRAM = 'src/command-line.ts';

for (const file of process.argv.splice(2).filter((each) => each !== PROGRAM))
  await import(pathToFileURL(file).href);
process.stdout.write(JSON.stringify([...built.values()]), () => process.exit());
