// Plain JavaScript on purpose: a Node too old to run TypeScript gets a sentence, not a syntax error.

/** Ends the process if this Node.js is too old. */
export function requireNode24() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return;
  process.stderr.write(
    `Issuewright runs on Node.js 24, and this is ${process.version}.\n` +
      '`npm install` brings the right one along, and `npm start`, `npm run demo` and `npm test` use it.\n' +
      'If you installed with --ignore-scripts, run `npm rebuild node`. If you left out optional packages,\n' +
      'run `npm install --include=optional`, or install Node.js 24 yourself.\n',
  );
  process.exit(1);
}
