import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { measure } from './measure.ts';
import type { Row } from './report.ts';

const FILES = 2000;

/** Reading and writing through the contained file access, per file. */
export async function measureFiles(root: string): Promise<Row[]> {
  const files = new WorkspaceFiles(root);
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(root, path.join(parentPath, name)))
    .filter((one) => !one.startsWith('.git'))
    .slice(0, FILES);
  const content = Buffer.from('const line = 1;\n'.repeat(300));
  const read = await measure(
    paths.map((one) => () => files.read(one)),
    paths.map((one) => () => readFileSync(path.join(root, one))),
  );
  const write = await measure(
    paths.map((_, index) => () => files.write(`written/${index}.ts`, content)),
  );
  return [
    { name: `read ${FILES} files (peer: readFileSync)`, measured: read, perFile: FILES },
    { name: `write ${FILES} files of 5 kB`, measured: write, perFile: FILES },
  ];
}
