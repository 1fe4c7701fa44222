import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { openShells, type Shells } from '../../../../src/app/service/shells.ts';
import { TryLater } from '../../../../src/lib/errors.ts';
import { json } from '../../../agent/support.ts';
import { entriesOf, openService, type Service } from '../../support.ts';
import { CONTAINED, NO_IMAGES } from '../../../support/shell-settings.ts';

const MINUTE = 60_000;
const sh = (command: string): string => json(['run_shell_command', { command }]);
const log = pino({ level: 'silent' });
let shells: Shells | undefined;
let service: Service;
/** What the sandbox itself keeps. */
let atFirst: string[] = [];
beforeAll(async () => {
  shells = await openShells(CONTAINED, { dataDir: 'data', imageRoom: NO_IMAGES, log });
  // The look for programs has a directory of its own.
  await shells?.programs;
  atFirst = directories();
  service = await openService({ 'a.txt': 'a\n', 'src/b.txt': 'b\n' }, shells && { shells });
});
afterAll(async () => {
  await service.close();
  await shells?.close();
});

const directories = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`issuewright-${process.pid}-`));

describe('commands in the sandbox', () => {
  it('can be tested here', () => {
    const canBe = existsSync('/usr/bin/bwrap') || process.env['CI'] !== undefined;
    expect(shells?.kind).toBe(canBe ? 'contained' : undefined);
  });

  it('change nothing by running as another user, and leave their changes to the run', async () => {
    if (shells === undefined) return;
    service.model.says(
      sh('true'),
      json(['edit_file', { path: 'a.txt', old_text: 'a', new_text: 'edited' }]),
      sh('cat a.txt; echo more >> a.txt; mkdir -p new && echo n > new/n.txt'),
      new TryLater('busy'),
      sh('cat a.txt new/n.txt src/b.txt; rm src/b.txt'),
      json(['write_file', { path: 'new/n.txt', content: 'by the service\n' }]),
      sh('cat new/n.txt && echo and the command >> new/n.txt'),
      sh('mkdir -p "$HOME/cache" && echo x > "$HOME/cache/x" && chmod -R 555 "$HOME/cache"'),
      json(['finish', { summary: 'Done.' }]),
    );
    const session = await service.start('Change things');
    await session.advance();
    service.letPass(MINUTE);
    await session.advance();
    const entries = await session.journal();
    const calls = entriesOf(entries, 'call_finished');
    expect(calls.map(({ changedFiles: changed }) => changed ?? 0)).toEqual([
      0, 1, 2, 1, 1, 1, 0, 0,
    ]);
    expect(calls[3]?.output).toMatch(/edited\nmore\nn\nb$/);
    expect(calls[5]?.output).toContain('by the service');
    expect(session.onBranch('new/n.txt')).toBe('by the service\nand the command');
    expect(entriesOf(entries, 'run_prepared')[0]?.shell).toBe('contained');
    expect(directories()).toEqual(atFirst);
  });

  it('end with the run, and start again in a fresh clone when it resumes', async () => {
    if (shells === undefined) return;
    const command = 'ls half.txt; echo x > half.txt; echo begun; sleep 60';
    service.model.says(
      json(['run_shell_command', { command, timeout: 10 }]),
      json(['finish', { summary: 'Done.' }]),
    );
    const session = await service.start('Stop');
    const stopping = new AbortController();
    const running = session.advance({}, stopping);
    await service.untilOutput(session, /begun/);
    stopping.abort(new Error('the service stops'));
    await running.catch(() => {});
    expect(directories()).toEqual(atFirst);
    expect(entriesOf(await session.journal(), 'call_finished')).toEqual([]);
    await session.advance();
    const [finished] = entriesOf(await session.journal(), 'call_finished');
    expect(finished?.output).toMatch(/^Killed: time limit exceeded, after 1\d[.\d]* s\./);
    expect(finished?.output).toMatch(/cannot access 'half\.txt'/);
    expect(finished?.changedFiles).toBe(1);
  });
});
