#!/usr/bin/env node
// Plain JavaScript on purpose: a Node too old to run the TypeScript of src/ gets a sentence, not a
// syntax error.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `Issuewright runs on Node.js 24, and this is ${process.version}.\n` +
      '`npm install` brings the right one along, and `npm start`, `npm run demo` and `npm test` use it.\n' +
      'If you installed with --ignore-scripts, run `npm rebuild node`.\n',
  );
  process.exit(1);
}
const { useCompileCache } = await import('../src/lib/compile-cache.js');
useCompileCache();
await import('../src/main.ts');
