// `issuewright doctor --model`, the shipped program, without an App.
import { afterEach, describe, expect, it } from '@jest/globals';
import { FAMILIES } from '../models/families.ts';
import { FamilyServer, type FamilyTrouble } from '../models/family-server.ts';
import { ObedientModel } from '../models/obedient-model.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

let server: FamilyServer | undefined;
afterEach(() => server?.close());

const MISTRAL = FAMILIES.find(({ name }) => name === 'Mistral')!;
const KEY = 'sk-0123456789abcdefghij';

async function probe(words: readonly string[], trouble?: FamilyTrouble) {
  server = await FamilyServer.open([MISTRAL], new ObedientModel(), trouble);
  const environment = {
    PATH: process.env['PATH'] ?? '',
    ...MISTRAL.variables(server.url),
    OPENAI_API_KEY: KEY,
    MODEL: MISTRAL.model,
  };
  return runProgram(['doctor', ...words], { environment, directory: temporaryDirectory() });
}

describe('issuewright doctor --model', () => {
  it('says what it costs first, then what it saw, and what Issuewright does about it', async () => {
    const { code, stdout, stderr } = await probe(['--model']);
    expect([code, stderr]).toEqual([0, '']);
    const [first, blank, ...rows] = stdout.split('\n');
    expect(first).toMatch(
      /^openai:stub-mistral, at the model server \(127\.0\.0\.1:\d+\): 11 requests, about [\d.]+k tokens in and [\d.]+k out, price unknown\.$/,
    );
    expect(blank).toBe('');
    expect(rows[0]).toBe(
      'ok      tool call             called a tool (protocol `native`). → leaves out `stream_options`.',
    );
    expect(rows[3]).toBe(
      'ok      answer after a result accepted a message right after results. → sends a reply between results and the next message.',
    );
    expect(stdout).toMatch(/^WARNING usage .*MODEL_CATALOG/m);
    expect(stdout).toMatch(/It took 11k tokens in and 220 out, price unknown\.\n\nFaults: 0\./);
  });

  it('prints one JSON object for scripts, also of a model that is named', async () => {
    const { code, stdout } = await probe(['--json', '--model', 'openai:stub-mistral-2']);
    expect(code).toBe(0);
    const { ok, models } = JSON.parse(stdout) as Record<string, unknown>;
    expect([ok, models]).toEqual([
      true,
      [
        {
          model: 'openai:stub-mistral-2',
          destination: expect.stringMatching(/^the model server/),
          probes: expect.arrayContaining([
            { probe: 'cut', state: 'ok', seen: 'reports that a reply was cut off', does: '' },
          ]),
          usage: { input: 11_000, output: 220 },
          dollars: null,
        },
      ],
    ]);
  });

  it('exits with 1 at a fault, and shows no key', async () => {
    const message = `The key ${KEY} may not do that.`;
    const { code, stdout } = await probe(['--model'], {
      rejects: () => ({ status: 403, message }),
    });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^FAULT {3}tool call .*\(403/m)]);
    expect(stdout).not.toContain(KEY);
  });

  it('names the settings that are missing, and sends nothing', async () => {
    const { code, stdout, stderr } = await probe(['--model', 'anthropic:claude']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/ {2}ANTHROPIC_API_KEY {2}missing/);
    expect(server?.requests).toHaveLength(0);
  });
});
