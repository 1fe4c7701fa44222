#!/usr/bin/env node
// What runs beside the service on a developer's machine. The production image does not have it.
import { requireNode24 } from './node-version.js';

requireNode24();
const { useCompileCache } = await import('../src/lib/compile-cache.js');
useCompileCache();
await import('../packages/local-github/src/main.ts');
