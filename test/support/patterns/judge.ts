import { writeFileSync } from 'node:fs';
import { check } from 'recheck';
import { hashOf, JUDGED } from './judged.ts';
import { REPEATS, readBuiltPatterns, readSourcePatterns } from './written-patterns.ts';

const safe = new Set<string>();
for (const pattern of [...readSourcePatterns().literals, ...readBuiltPatterns()]) {
  if (!REPEATS.test(pattern.source) || safe.has(hashOf(pattern))) continue;
  const { status } = await check(pattern.source, pattern.flags, { timeout: null });
  if (status === 'safe') safe.add(hashOf(pattern));
}
writeFileSync(JUDGED, `${[...safe].toSorted().join('\n')}\n`);
