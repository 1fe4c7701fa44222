// The software bill of materials of what ships, in CycloneDX: `npm run -s sbom > sbom.cdx.json`.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Manifest {
  name?: string;
  version: string;
  devDependencies?: unknown;
  workspaces?: unknown;
}
interface Lock {
  packages: Record<
    string,
    { version?: string; dev?: boolean; devDependencies?: unknown; workspaces?: unknown }
  >;
}

/** Whether an entry is one of our own `packages/`, which belong to the project and come from nowhere else. */
export const isOfProject = (path: string): boolean =>
  path.startsWith('packages/') || path.startsWith('node_modules/@issuewright/');

/**
 * Made by npm, of the lock file without what only development needs: `npm sbom --omit=dev` leaves out each package that development
 * needs too. `version`: of the release. Answers JSON.
 */
export function billOfMaterials(version?: string): string {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  manifest.version = version ?? manifest.version;
  delete manifest.devDependencies;
  delete manifest.workspaces;
  const packages = Object.entries(lock.packages).filter(
    ([path, { dev }]) => dev !== true && !isOfProject(path),
  );
  lock.packages = Object.fromEntries(packages);
  const root = lock.packages[''];
  if (root !== undefined) {
    root.version = manifest.version;
    delete root.devDependencies;
    delete root.workspaces;
  }
  return ofProject(manifest, lock);
}

function ofProject(manifest: Manifest, lock: Lock): string {
  const parent = mkdtempSync(join(tmpdir(), 'issuewright-sbom-'));
  try {
    // npm names the project by its directory.
    const project = join(parent, manifest.name ?? 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock));
    const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
    return execFileSync('npm', ['sbom', ...options], {
      cwd: project,
      encoding: 'utf8',
      maxBuffer: 64_000_000,
    });
  } finally {
    rmSync(parent, { recursive: true });
  }
}

if (import.meta.main) process.stdout.write(billOfMaterials());
