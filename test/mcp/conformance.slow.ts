// The client scenarios of MCP's own conformance suite, with servers as a run has them.
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const SUITE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const CLIENT = join(import.meta.dirname, 'conformance-client.ts');

/** Of what docs/mcp.md says is not supported: scenarios by their names. */
const UNSUPPORTED: readonly RegExp[] = [
  // OAuth: the operator names a token in `headers`.
  /^auth\//,
  // Skills as resources of a server: resources are not read.
  /^sep-2640-/,
];

/** Checks that fail by design, by scenario. */
const BY_DESIGN: Readonly<Record<string, RegExp>> = {
  // People are asked on the issue, so a call that has a question is cancelled, and made again once they have answered.
  'elicitation-sep1034-client-defaults': /^client-elicitation-sep1034-general$/,
  // A model is shown a copy of a schema, made of keywords that every provider takes.
  'json-schema-2020-12-preservation': /-client-[\w$-]+-preserved$/,
};

/** What the suite prints. It exits with 1 if a check fails. */
function suite(...words: readonly string[]): Promise<string> {
  const options = { cwd: temporaryDirectory(), maxBuffer: 64 * 1024 * 1024 };
  return new Promise((done) => {
    execFile(process.execPath, [SUITE, ...words], options, (_error, output, errors) =>
      done(output + errors),
    );
  });
}

const versionOfNode = Number(process.versions.node.split('.')[0]);
const missing = versionOfNode < 22 ? ' (skipped: the suite needs Node.js 22)' : '';
const declare = missing === '' ? describe : describe.skip;

const listed = missing === '' ? await suite('list', '--client') : '  - none [0]\n';
const scenarios = [...listed.matchAll(/^ +- (\S+) \[(.*)\]$/gm)].flatMap(
  ([, name = '', versions = '']) => versions.split(',').map((version) => [name, version] as const),
);
const supported = scenarios.filter(([name]) => !UNSUPPORTED.some((one) => one.test(name)));

declare(`the conformance suite of MCP${missing}`, () => {
  it('has scenarios that a client without OAuth and resources can pass', () => {
    expect(new Set(supported.map(([name]) => name)).size).toBeGreaterThanOrEqual(11);
  });

  it.each(supported)('finds nothing wrong in %s of %s, except by design', async (name, version) => {
    const command = `${process.execPath} ${CLIENT}`;
    const words = ['--command', command, '--scenario', name, '--spec-version', version];
    const said = await suite('client', ...words);
    expect(said).toMatch(/^Passed: [1-9]/m);
    const failed = [...said.matchAll(/\[([\w$-]+) *\] \S*FAILURE/g)].map(([, id = '']) => id);
    const expected = BY_DESIGN[name];
    expect(failed.filter((id) => expected?.test(id) !== true)).toEqual([]);
    expect(failed.length > 0).toBe(expected !== undefined);
  });
});
