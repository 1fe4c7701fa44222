import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { openShells, type Shells } from '../../../src/app/service/shells.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { CONTAINED, NO_IMAGES } from '../../support/shell-settings.ts';

let shells: Shells | undefined;
afterEach(async () => shells?.close());

async function open(settings: Parameters<typeof openShells>[0]) {
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  shells = await openShells(settings, { dataDir: 'data', imageRoom: NO_IMAGES, log });
  return { kind: shells?.kind, lines };
}

describe('the shells of a service', () => {
  it('say why there is no image if the operator allows none, or no sandbox', async () => {
    const reference = { registry: 'a.example', repository: 'b', tag: undefined, digest: undefined };
    const { signal } = new AbortController();
    await open({ ...CONTAINED, sandbox: 'unsafe' });
    await expect(shells?.inImage(reference, { signal })).rejects.toThrow('SANDBOX=unsafe');
    const { kind } = await open(CONTAINED);
    if (kind !== 'contained') return;
    await expect(shells?.inImage(reference, { signal })).rejects.toThrow(
      'allows no images (ENVIRONMENT_IMAGES)',
    );
  });

  it('are none, without a warning, if dangerous tools are not allowed', async () => {
    expect(await open({ ...CONTAINED, isAllowed: false, sandbox: 'unsafe' })).toEqual({
      kind: undefined,
      lines: [],
    });
  });

  it('are warned about if the operator runs without a sandbox', async () => {
    const { kind, lines } = await open({ ...CONTAINED, sandbox: 'unsafe' });
    expect(kind).toBe('unsafe');
    expect(lines).toEqual([
      expect.objectContaining({ level: 40, msg: expect.stringContaining('are NOT sandboxed') }),
    ]);
  });

  it('are those of the sandbox, or none and the reason', async () => {
    const { kind, lines } = await open(CONTAINED);
    const words =
      kind === 'contained'
        ? 'commands run in the sandbox'
        : 'sandbox unavailable: the agent works without commands (docs/security.md)';
    expect(lines.map(({ msg }) => msg)).toEqual([words]);
  });

  it('hide a private key even if its directory is readable, or a link leads to it', async () => {
    const [readable, closed, workspace] = [0, 1, 2].map(temporaryDirectory) as [
      string,
      string,
      string,
    ];
    chmodSync(readable, 0o755);
    writeFileSync(join(readable, 'open.txt'), 'may be read');
    writeFileSync(join(readable, 'real.pem'), 'a secret');
    for (const name of ['open.txt', 'real.pem']) chmodSync(join(readable, name), 0o644);
    symlinkSync(join(readable, 'real.pem'), join(closed, 'link.pem'));
    const secretFiles = [join(closed, 'link.pem')];
    const { kind } = await open({ ...CONTAINED, readPaths: [readable], secretFiles });
    if (kind !== 'contained') return;
    const tree = join(workspace, 'tree');
    mkdirSync(tree);
    const done = await shells?.open({ directory: tree }).run({
      command: `cat ${readable}/*.txt ${readable}/*.pem`,
      directory: '',
      timeoutMs: 100_000,
      signal: new AbortController().signal,
    });
    expect(done?.output.head).toContain('may be read');
    expect(done?.output.head).not.toContain('a secret');
  });
});
