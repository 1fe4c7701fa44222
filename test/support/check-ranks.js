// Ranks and cycles, and that a name is exported once in `src` and `packages/sandbox`, so that grep finds it. dependency-cruiser is silently green where its parser is missing, so the
// number of modules it saw is compared with the number of files that exist.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cruise } from 'dependency-cruiser';

const { forbidden, options } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');
const FOLDERS = ['src', 'packages'];
const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts')),
);
const { output } = await cruise(FOLDERS, { ...options, validate: true, ruleSet: { forbidden } });
const seen = output.modules.filter((module) => /^(src|packages)\/.*\.ts$/.test(module.source));
const faults = output.summary.violations.map((v) => `${v.rule.name}: ${v.from} → ${v.to}`);
if (seen.length !== files.length)
  faults.push(`the checker saw ${seen.length} of ${files.length} files`);

const DECLARATION =
  /^export (?:abstract |async )?(?:function\*?|const|let|class|interface|type|enum) ([\w$]+)/gm;
const homes = new Map();
for (const file of globSync('{src,packages/sandbox/src}/**/*.ts'))
  for (const [, name] of readFileSync(file, 'utf8').matchAll(DECLARATION))
    homes.set(name, (homes.get(name) ?? new Set()).add(file));
for (const [name, exporters] of homes)
  if (exporters.size > 1) faults.push(`${name} is exported twice: ${[...exporters].join(', ')}`);

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`ranks: ${seen.length} files, ${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
