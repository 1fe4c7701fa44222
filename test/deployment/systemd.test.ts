import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const UNIT = readFileSync('docs/issuewright.service', 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('the unit for systemd', () => {
  const verified = hasSystemd ? it : it.skip;
  verified('is accepted by systemd-analyze verify, without a warning', () => {
    const file = join(temporaryDirectory(), 'issuewright.service');
    // Quoted, since this checkout may have a blank in its path.
    const program = `"${resolve('issuewright')}"`;
    writeFileSync(file, UNIT.replaceAll('/opt/issuewright/issuewright', program));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], {
      encoding: 'utf8',
    });
    const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('issuewright'));
    expect({ status, about }).toEqual({ status: 0, about: [] });
  });

  it('gives the service the time that it takes to stop, and stops nothing else before it', () => {
    const settings = new Map(
      UNIT.split('\n').flatMap((line) => {
        const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
        return name === '' ? [] : [[name, value] as const];
      }),
    );
    // 18 s for a step and 12 more, as docs/configuration.md says of STOP_GRACE_SECONDS.
    expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThanOrEqual(30);
    expect(settings.get('KillMode')).toBe('mixed');
    expect(settings.get('WorkingDirectory')).toBe('/etc/issuewright');
  });
});
