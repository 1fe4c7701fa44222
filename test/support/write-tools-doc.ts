// Writes docs/tools.md: `npm run docs:tools`.
import { writeFileSync } from 'node:fs';
import { TOOLS_DOCUMENT, toolsDocument } from './tools-document.ts';

writeFileSync(TOOLS_DOCUMENT, toolsDocument());
