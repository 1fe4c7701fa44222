// Begun by the launcher beside it, with a Node.js that can run this.
import { useSmallHeap } from './small-heap.js';

const { env, platform, versions } = process;
const whyNot =
  platform === 'win32'
    ? 'Issuewright does not run on Windows itself. Use WSL 2, or the container (docs/setup.md).'
    : Number.parseInt(versions.node, 10) < 24 &&
      `Issuewright runs on Node.js 24 or later, and this is ${versions.node}. Start it by ./issuewright, which finds one.`;
if (whyNot) {
  process.stderr.write(`${whyNot}\n`);
  process.exit(1);
}
useSmallHeap();
const { useCompileCache } = await import('../src/lib/compile-cache.js');
useCompileCache();
const { useProgramName } = await import('../src/lib/program-name.ts');
useProgramName(env.ISSUEWRIGHT_CALLED_AS);
// Of this process alone.
delete env.ISSUEWRIGHT_CALLED_AS;

const { hasPlayground } = await import('../src/commands/demo.ts');
const [, , command = '', ...words] = process.argv;
const isDemo = command === 'demo' && !words.some((word) => word === '--help' || word === '-h');
const isOfPlayground = isDemo || ['github', 'model', 'play'].includes(command);
await (hasPlayground && isOfPlayground
  ? import('../packages/local-github/src/main.ts')
  : import('../src/command-line.ts'));
