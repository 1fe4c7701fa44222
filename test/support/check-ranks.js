// Ranks and cycles. dependency-cruiser is silently green where its parser is missing, so the
// number of modules it saw is compared with the number of files that exist.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cruise } from 'dependency-cruiser';

const { forbidden, options } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');
const FOLDERS = ['src', 'playground'];
const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts')),
);
const { output } = await cruise(FOLDERS, { ...options, validate: true, ruleSet: { forbidden } });
const seen = output.modules.filter((module) => /^(src|playground)\/.*\.ts$/.test(module.source));
const faults = output.summary.violations.map((v) => `${v.rule.name}: ${v.from} → ${v.to}`);
if (seen.length !== files.length)
  faults.push(`the checker saw ${seen.length} of ${files.length} files`);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`ranks: ${seen.length} files, ${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
