#!/usr/bin/env node
import { requireNode24 } from './node-version.js';

requireNode24();
const { useCompileCache } = await import('../src/lib/compile-cache.js');
useCompileCache();
await import('../src/command-line.ts');
