import { describe, expect, it } from '@jest/globals';
import { planServers } from '../../../src/app/run/plan/offered-tools.ts';
import { readSettings } from '../../../src/session/settings/read.ts';
import type { ServerSettings } from '../../../src/mcp/settings.ts';

const OFFERED: readonly ServerSettings[] = ['docs', 'fs'].map((name) => ({
  kind: 'remote',
  name,
  safe: [],
  startMs: 1,
  timeoutMs: 1,
  url: 'https://a.example',
  headers: {},
}));

function planned(yaml: string, rules: Partial<Parameters<typeof planServers>[2]> = {}) {
  const read = readSettings(yaml);
  if ('fault' in read) throw new Error(read.fault);
  const plan = planServers(read, OFFERED, { allowsDangerous: true, onlyByName: false, ...rules });
  const has = (name: string, isSafe = false) => plan.isWanted({ name }, isSafe);
  return { names: plan.servers.map(({ name }) => name), has };
}

describe('the MCP servers of a run', () => {
  it.each([
    ['', ['docs', 'fs']],
    ['mcp: [fs]', ['fs']],
    ['mcp: []', []],
  ])('are those that are offered and chosen: %s', (yaml, names) => {
    expect(planned(yaml).names).toEqual(names);
  });

  it.each(['mcp: [nope]', 'tools: {mcp__nope__x: true}', 'tools: {mcp__nope__x: false}'])(
    'are only those that the operator offers: %s',
    (yaml) => {
      expect(() => planned(yaml)).toThrow(
        /`\.github\/issuewright\.yml` names the MCP server `nope`, which the operator does not offer\. .*`docs`, `fs`/,
      );
    },
  );

  it('have no dangerous tools unless the operator allows them', () => {
    const { has } = planned('tools: {mcp__fs__write: true}', { allowsDangerous: false });
    expect(has('mcp__fs__write')).toBe(false);
    expect(has('mcp__fs__read', true)).toBe(true);
  });

  it('have dangerous tools only by name if paths are closed', () => {
    const { has } = planned('tools: {mcp__fs__write: true}', { onlyByName: true });
    expect(has('mcp__fs__write')).toBe(true);
    expect(has('mcp__fs__move')).toBe(false);
    expect(has('mcp__fs__read', true)).toBe(true);
  });

  it('have no tool that the settings remove', () => {
    const { has } = planned('tools: {mcp__fs__read-it: false}');
    expect(has('mcp__fs__read-it', true)).toBe(false);
    expect(has('mcp__fs__constructor', true)).toBe(true);
  });
});
