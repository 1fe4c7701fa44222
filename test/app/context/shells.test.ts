import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { openShells, type Shells } from '../../../src/app/context/shells.ts';

const SETTINGS = { isAllowed: true, sandbox: 'bubblewrap', allowHosts: [], readPaths: [] } as const;

let shells: Shells | undefined;
afterEach(async () => shells?.close());

async function open(settings: Parameters<typeof openShells>[0]) {
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  shells = await openShells(settings, { dataDir: 'data', log });
  return { kind: shells?.kind, lines };
}

describe('the shells of a service', () => {
  it('are none, without a word, where dangerous tools are not allowed', async () => {
    expect(await open({ ...SETTINGS, isAllowed: false, sandbox: 'unsafe' })).toEqual({
      kind: undefined,
      lines: [],
    });
  });

  it('are warned about where the operator does without a sandbox', async () => {
    const { kind, lines } = await open({ ...SETTINGS, sandbox: 'unsafe' });
    expect(kind).toBe('unsafe');
    expect(lines).toEqual([
      expect.objectContaining({ level: 40, msg: expect.stringContaining('are NOT contained') }),
    ]);
  });

  it('are those of the sandbox, or none and the reason', async () => {
    const { kind, lines } = await open(SETTINGS);
    const words =
      kind === 'contained'
        ? 'commands of the agent run in the sandbox'
        : 'the sandbox cannot be used here: the agent works without commands (docs/security.md)';
    expect(lines.map(({ msg }) => msg)).toEqual([words]);
  }, 30_000);
});
