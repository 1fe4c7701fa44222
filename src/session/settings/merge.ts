import { intersection } from '../../lib/command-pattern.ts';
import type { GivenSettings } from './index.ts';

/**
 * A repository's settings override its owner's, except: the lower of two limits counts, paths that
 * either denies are denied, tools that either removes are removed, and only MCP servers that both list are used.
 */
export function mergeSettings(owners: GivenSettings, own: GivenSettings): GivenSettings {
  return {
    ...owners,
    ...own,
    limits: lowest(owners.limits, own.limits),
    paths: closed(owners.paths, own.paths),
    tools: wanted(owners.tools, own.tools),
    ...servers(owners.mcp, own.mcp),
    commands: allowed(owners.commands, own.commands),
    env: { ...owners.env, ...own.env },
    commits: { ...owners.commits, ...own.commits },
  };
}

type Limits = GivenSettings['limits'];

function lowest(one: Limits = {}, other: Limits = {}): Limits {
  const lower = (name: keyof typeof one): number | undefined => {
    const given = [one[name], other[name]].filter((limit) => limit !== undefined);
    return given.length === 0 ? undefined : Math.min(...given);
  };
  return {
    turns: lower('turns'),
    minutes: lower('minutes'),
    review_rounds: lower('review_rounds'),
    dollars: lower('dollars'),
    ci_rounds: lower('ci_rounds'),
  };
}

type Paths = GivenSettings['paths'];

function closed(owners: Paths, own: Paths): Paths {
  if (owners === undefined || own === undefined) return own ?? owners;
  const deny = [...new Set([...(owners.deny ?? []), ...(own.deny ?? [])])];
  return { ...owners, ...own, ...(deny.length === 0 ? {} : { deny }) };
}

type Servers = GivenSettings['mcp'];

function servers(owners: Servers, own: Servers): { readonly mcp?: string[] } {
  if (owners === undefined || own === undefined) return {};
  return { mcp: own.filter((name) => owners.includes(name)) };
}

type Commands = GivenSettings['commands'];

function allowed(owners: Commands, own: Commands): Commands {
  if (owners === undefined || own === undefined) return own ?? owners;
  return { allow: intersection(owners.allow, own.allow) };
}

type Tools = GivenSettings['tools'];

function wanted(owners: Tools = {}, own: Tools = {}): Tools {
  const both = [...Object.entries(owners), ...Object.entries(own)];
  const taken = both.filter(([, isWanted]) => !isWanted);
  return Object.fromEntries([...both, ...taken]);
}
