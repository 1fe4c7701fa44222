#!/usr/bin/env node
import { requireNode24 } from './node-version.js';
import { useSmallHeap } from './small-heap.js';

requireNode24();
useSmallHeap();
const { useCompileCache } = await import('../src/lib/compile-cache.js');
useCompileCache();
await import('../src/command-line.ts');
