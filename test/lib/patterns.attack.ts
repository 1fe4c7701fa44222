// No regular expression of the code takes longer than its share on a text from outside. A kept checker judges each one
// by its automaton, or tries it (https://makenowjust-labs.github.io/recheck/). What it suspects is tried on the text that it
// suggests. What is slow there is bounded, and says by what.
import { describe, expect, it } from '@jest/globals';
import { check, type VulnerableDiagnostics } from 'recheck';
import { expectLinear } from '../support/growth.ts';
import { cases } from '../support/cases.ts';
import { hashOf, readJudged } from '../support/patterns/judged.ts';
import {
  readBuiltPatterns,
  REPEATS,
  readSourcePatterns,
  type WrittenPattern,
} from '../support/patterns/written-patterns.ts';

/** Expressions that take quadratic time, by file and beginning, and why that does no harm. */
const BOUNDED: readonly (readonly [file: string, beginning: string, bound: string])[] = [
  ['agent/loop.ts', '[\\s*_', 'reads the last 2,000 characters'],
  ['agent/loop.ts', '我', 'reads the last 2,000 characters'],
  ['agent/loop.ts', '^(?:(?!\\p{L}*thing', 'reads the last 2,000 characters'],
  ['session/said/asks.ts', '(?:^\\s*\\/issuewright', 'reads 500 characters of a line'],
];

/**
 * The union of the signs of all families is too large for the checker. Each of its parts is a literal, and `agent/protocols/linear.attack.ts`
 * measures the whole.
 */
const isTooLarge = ({ file, source }: WrittenPattern): boolean =>
  file === 'src/agent/protocols/foreign/json-calls.ts' && source.length > LONGEST;
const LONGEST = 1_000;

/** How often a file builds expressions, where one depends on what it is called with, and what bounds that. */
const BUILT_LATER: ReadonlyMap<string, string> = new Map([
  ['agent/protocols/foreign/json-calls.ts', 'names of tools, in expressions of ours'],
  ['commands/doctor/model-probes.ts', 'words of ours, between the ends of words'],
  ['commands/prove/run-proof.ts', 'names of an account and a repository, escaped'],
  ['config/values/fields.ts', 'the parts are tried as a literal beside it'],
  ['lib/glob.ts', 'one class, tried on one character'],
  ['lib/text/invisible.ts', 'built when it is loaded'],
  ['models/wire/without-keys.ts', 'built when it is loaded'],
  ['packages/sandbox/src/cgroup/command-cgroups.ts', 'a name of ours, in a file of the kernel'],
  ['packages/sandbox/src/running/running-sandbox.ts', 'a name of ours, in a line of bubblewrap'],
  ['packages/sandbox/src/watch/memory.ts', 'a name of ours, in a file of the kernel'],
  ['session/duplicates.ts', 'a name of a branch, and a message of a commit'],
  ['session/texts/pull-request-body.ts', 'headings of ours, and a number'],
  ['tools/shell/test-results.ts', 'a word of ours, in a line of 1,000 characters'],
  ['tools/syntax/check.ts', 'expressions of ours, without a part from outside'],
  ['web/pages/message.ts', 'a name of ours; the value ends at the next quote'],
  ['workspace/search/code/matcher.ts', 'words without signs, in a thread with a limit of time'],
  ['workspace/search/code/scan.ts', 'names without signs, in a thread with a limit of time'],
  ['workspace/search/lines/line-tasks.ts', 'of the model; in a thread with a limit of time'],
  ['workspace/search/lines/pattern.ts', 'of the model; only compiled'],
]);

const SIZE = 32_768;

const { literals, constructions } = readSourcePatterns();
const built = readBuiltPatterns();
const judged = cases<ReadonlySet<string>>(readJudged(), new Set());

const fromSrc = (file: string): string => (file.startsWith('packages/') ? file : `src/${file}`);

const isBounded = ({ file, source }: WrittenPattern): boolean =>
  BOUNDED.some(([path, beginning]) => file === fromSrc(path) && source.startsWith(beginning));

async function faultOf(pattern: WrittenPattern): Promise<string | undefined> {
  const { source, flags } = pattern;
  if (!REPEATS.test(source) || isTooLarge(pattern)) return undefined;
  if (judged.has(hashOf(pattern))) return undefined;
  // Its verdict must not depend on how busy the machine is.
  const verdict = await check(source, flags, { timeout: null });
  if (verdict.status === 'safe') return undefined;
  if (verdict.status === 'unknown') return `the checker does not know: ${verdict.error.kind}`;
  try {
    const expression = new RegExp(source, flags);
    expectLinear((size) => void attackOf(verdict.attack, size).replace(expression, ''), SIZE);
    return undefined;
  } catch (error) {
    return `${verdict.attack.pattern}: ${String(error)}`;
  }
}

function attackOf({ pumps, suffix }: VulnerableDiagnostics['attack'], size: number): string {
  const repeats = size / pumps.reduce((sum, { pump }) => sum + pump.length, 1);
  return pumps.map(({ prefix, pump }) => prefix + pump.repeat(repeats)).join('') + suffix;
}

describe('the regular expressions of the code', () => {
  it('take time in proportion to the length of a text, or say what bounds it', async () => {
    const unique = new Map(
      [...literals, ...built].map((each) => [`${each.source}/${each.flags}`, each]),
    );
    const faults: string[] = [];
    const all = [...unique.values()];
    for (const pattern of all.filter((each) => !isBounded(each))) {
      const fault = await faultOf(pattern);
      if (fault !== undefined) faults.push(`${pattern.file} /${pattern.source}/: ${fault}`);
    }
    expect(faults).toEqual([]);
    expect(all.filter(isBounded)).toHaveLength(BOUNDED.length);
    expect(unique.size).toBeGreaterThan(700);
  }, 900_000);

  it('are known, or built from parts that are bounded', () => {
    const atOnce = new Set(built.map(({ file }) => file));
    const later = constructions.filter((file) => !atOnce.has(file));
    const allowed = [...BUILT_LATER.keys()].map(fromSrc);
    expect(later.filter((file) => !allowed.includes(file))).toEqual([]);
    expect(allowed.filter((file) => !constructions.includes(file))).toEqual([]);
  });

  it('would be found if one were slow', async () => {
    const slow = { file: 'src/a.ts', source: String.raw`^(?:[.-]*(?:[a.]+-)*)b$`, flags: 'm' };
    expect(await faultOf(slow)).toMatch(/times as long/);
  });
});
