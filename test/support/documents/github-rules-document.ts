// docs/github-rules.md, from the table of the local GitHub.
import type { Behaviour } from '../../../packages/local-github/src/github/behaviours/behaviour.ts';
import { AREAS, BEHAVIOURS } from '../../../packages/local-github/src/github/behaviours/index.ts';
import { table } from './markdown-table.ts';

export const GITHUB_RULES_DOCUMENT = 'docs/github-rules.md';

const HEAD = `# What we believe about GitHub

Issuewright relies on behaviours of GitHub that no schema states. The [local GitHub](../packages/local-github/README.md), against which the
tests play whole sessions, behaves by this table; \`npm run docs\` writes this page from it. If one of these is wrong, a test
can pass although github.com behaves differently. Corrections are welcome, most of all for what is unproven.

- **documented**: GitHub says so.
- **reported by others**: they saw it, or quote GitHub's support.
- **unproven**: we found no source that confirms it. A link is what comes closest.
`;

const all = Object.values<Behaviour>(BEHAVIOURS);
const NAMES: Readonly<Record<Behaviour['standing'], string>> = {
  documented: 'documented',
  reported: 'reported by others',
  unproven: '**unproven**',
};
const countOf = (standing: Behaviour['standing']): number =>
  all.filter((one) => one.standing === standing).length;

export const COMPARISON_DOCUMENT = 'docs/comparison.md';

const COUNT = /\d+ of its \d+ rules about GitHub are unproven/;

/** @throws {Error} if the comparison does not say how many rules are unproven */
export function comparisonDocument(current: string): string {
  if (!COUNT.test(current)) throw new Error('the comparison lacks the count of unproven rules');
  const count = `${countOf('unproven')} of its ${all.length} rules about GitHub are unproven`;
  return current.replace(COUNT, count);
}

/** The whole document, in Markdown. */
export function githubRulesDocument(): string {
  const counts = (['documented', 'reported', 'unproven'] as const)
    .map((standing) => `${countOf(standing)} ${NAMES[standing]}`)
    .join(', ');
  const areas = AREAS.map(({ name, behaviours }) => `\n## ${name}\n\n${rows(behaviours)}\n`);
  return [HEAD, `${all.length} rows: ${counts}.\n`, ...areas]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n');
}

const rows = (behaviours: Readonly<Record<string, Behaviour>>): string =>
  table(
    ['rule', 'what GitHub does', 'standing', 'source', 'read'],
    Object.entries(behaviours).map(([id, { says, standing, sources, read }]) => [
      `\`${id}\``,
      says,
      NAMES[standing],
      sources.map((source, at) => `[${at + 1}](${addressOf(source)})`).join(' '),
      read,
    ]),
  );

/** `owner/repository#number` is a thread, which GitHub also finds among pull requests. */
function addressOf(source: string): string {
  const [, repository, number] = /^([\w.-]+\/[\w.-]+)#(\d+)$/.exec(source) ?? [];
  return repository === undefined ? source : `https://github.com/${repository}/issues/${number}`;
}
