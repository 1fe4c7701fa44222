import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CommandOutputs } from '../../src/workspace/command-changes.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const LONG = `${'a line\n'.repeat(1_000)}the end é\n`;

function opened() {
  const parent = temporaryDirectory();
  const tree = join(parent, 'tree');
  mkdirSync(tree);
  const outputs = new CommandOutputs(tree);
  const keep = (text: string): string | undefined => {
    const kept = outputs.begin();
    kept.hear(text.slice(0, 100));
    kept.hear(text.slice(100));
    return kept.end();
  };
  return { parent, outputs, keep, files: () => readdirSync(join(parent, 'outputs')) };
}

describe('the outputs of commands', () => {
  it('are kept whole beside the work tree, under a name each', async () => {
    const { outputs, keep, files } = opened();
    const [one, other] = [keep(LONG), keep(`${LONG}more`)];
    expect(one).toMatch(/^output:[0-9a-f]{8}$/);
    expect(Buffer.from(await outputs.read(one ?? '')).toString()).toBe(LONG);
    expect(Buffer.from(await outputs.read(other ?? '')).toString()).toBe(`${LONG}more`);
    expect(files()).toHaveLength(2);
  });

  it('are not kept if they are short', () => {
    const { keep, files } = opened();
    expect(keep('short')).toBeUndefined();
    expect(files()).toEqual([]);
  });

  it('are kept as long as they are among the last twenty', async () => {
    const { outputs, keep, files } = opened();
    const first = keep(LONG) ?? '';
    for (let more = 0; more < 20; more += 1) keep(LONG);
    await expect(outputs.read(first)).rejects.toThrow(/not kept any more/);
    expect(files()).toHaveLength(20);
  });

  it.each(['output:0', 'output:../tree/a', 'output:', 'a'])('have no name %j', async (name) => {
    const { outputs, parent } = opened();
    writeFileSync(join(parent, 'tree', 'a'), 'a');
    await expect(outputs.read(name)).rejects.toThrow(/not kept any more/);
  });

  it('are missed without an error if there is no place for them', () => {
    const { parent, keep } = opened();
    writeFileSync(join(parent, 'outputs'), '');
    expect(keep(LONG)).toBeUndefined();
  });
});
