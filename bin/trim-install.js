// Runs after the install of the package: the headers of the Node.js that comes along are a third of it, and only for building add-ons.
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

try {
  const manifest = createRequire(import.meta.url).resolve(
    `node-linux-${process.arch}/package.json`,
  );
  rmSync(join(dirname(manifest), 'include'), { recursive: true, force: true });
} catch {
  // There is none for this machine, or it was left out.
}
