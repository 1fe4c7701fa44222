import { describe, expect, it } from '@jest/globals';
import { filesNamedIn } from '../../src/workspace/command-changes.ts';

describe('the files that a command names', () => {
  it.each([
    ['cat > src/a.ts <<EOF\nx\nEOF', 'src/a.ts'],
    ['touch ./a.ts', 'a.ts'],
    ['cd src && touch a.ts', 'src/a.ts'],
    ['cd src/ && touch lib/a.ts', 'src/lib/a.ts'],
    ['mv src/a.ts lib', 'lib/a.ts'],
    ['cp lib/a.ts .', 'a.ts'],
    ['touch /workspace/src/a.ts', 'src/a.ts'],
    [`python3 - <<'E'\nopen('src/a.py', 'w')\nE`, 'src/a.py'],
    ['npx generate --out=src/api.ts', 'src/api.ts'],
    ["touch 'app/[id]/(group)/page.tsx'", 'app/[id]/(group)/page.tsx'],
    ['(touch a.ts)', 'a.ts'],
    ['touch größe.txt', 'größe.txt'],
  ])('%j names %j', (command, path) => {
    expect(filesNamedIn(command, '')(path)).toBe(true);
  });

  it.each([
    ['python3 -m unittest test_a.py', '__pycache__/test_a.cpython-312.pyc'],
    ['python3 -m unittest discover tests', 'tests/__pycache__/test_a.pyc'],
    ['npm install && node index.js', 'node_modules/a/index.js'],
    ['npx generate src', 'src/api.ts'],
    ['touch data.ts', 'a.ts'],
  ])('%j does not name %j', (command, path) => {
    expect(filesNamedIn(command, '')(path)).toBe(false);
  });

  it('are told from where it starts', () => {
    expect(filesNamedIn('touch a.ts', 'src')('src/a.ts')).toBe(true);
    expect(filesNamedIn('touch a.ts', 'src')('lib/a.ts')).toBe(false);
  });
});
