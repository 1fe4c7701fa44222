const assert = require('node:assert');
const pc = require('../picocolors.js').createColors(true);

for (const count of [0, 1, 3, 200_000]) {
  const inner = pc.red('b').repeat(count);
  const reopened = '\x1b[31mb\x1b[31m'.repeat(count);
  assert.equal(pc.red(`a${inner}c`), `\x1b[31ma${reopened}c\x1b[39m`);
}
