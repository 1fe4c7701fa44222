#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { requireNode24 } from './node-version.js';
import { useSmallHeap } from './small-heap.js';

requireNode24();
useSmallHeap();
const { useCompileCache } = await import('../src/lib/compile-cache.js');
useCompileCache();

// The demo is no part of the service, and not in its image.
const playground = new URL('../packages/local-github/src/main.ts', import.meta.url);
const [, , command, ...words] = process.argv;
const isDemo = command === 'demo' && !words.some((word) => word === '--help' || word === '-h');
await import(isDemo && existsSync(playground) ? playground.href : '../src/command-line.ts');
