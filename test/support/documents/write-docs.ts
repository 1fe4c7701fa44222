// Writes the documents that are made from the code: `npm run docs`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DOCUMENTS } from './documents.ts';

for (const { path, make } of DOCUMENTS) {
  const current = existsSync(path) ? readFileSync(path, 'utf8') : '';
  writeFileSync(path, make(current));
}
