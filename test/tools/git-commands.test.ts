import { describe, expect, it } from '@jest/globals';
import { gitRemarks, readsHistory } from '../../src/tools/shell/git-commands.ts';

const TOOLS = new Set(['commit']);
const remarks = (command: string, output = '', historyDepth?: number): string =>
  gitRemarks(command, output, { tools: TOOLS, historyDepth }).join('\n');

describe('git in a command that ran', () => {
  it.each([
    ['git log --oneline -5', true],
    ['cd src && git blame a.js | head', true],
    ['git show HEAD~2:a.js', true],
    ['git diff HEAD^ -- a.js', true],
    ['git diff main...HEAD', true],
    ['x=$(git merge-base main HEAD)', true],
    ['git diff', false],
    ['git status -sb', false],
    ['git show HEAD:a.js', false],
    ['git checkout -- "src/^a.js"', false],
    ['grep -rn "git log" .', false],
    ['ls ..', false],
  ])('reads history or does not: %s', (command, expected) => {
    expect(readsHistory(command)).toBe(expected);
  });

  it('names the tool for what it did not do', () => {
    const said =
      'In a command, git can only read: HEAD stays as it is.\nfatal: ref updates aborted';
    expect(remarks('git add -A && git commit -m x', said)).toMatch(
      /^Git made no commit, branch or tag\. Use these tools instead: commit commits all/,
    );
    expect(remarks('git checkout -b other', said)).toMatch(/^Git made no commit, branch or tag/);
    expect(remarks('git reset --hard HEAD~1', said)).toMatch(
      /^Git changes no branch here, only files: `git restore .*` shows what this command did/,
    );
    expect(remarks('git push origin HEAD')).toMatch(/^Git reaches no other repository here\. Use/);
    expect(remarks('git status')).toBe('');
  });

  it('says that something is stashed, unless the same command brings it back', () => {
    const saved = 'Saved working directory and index state WIP on main: 1234567 A\n';
    expect(remarks('git stash && npm test && git stash pop', `${saved}1 failed\n`)).toMatch(
      /^What was stashed is in no commit.* `git stash pop`\.$/,
    );
    expect(remarks('git stash; git stash pop', `${saved}Dropped refs/stash@{0} (12)\n`)).toBe('');
  });

  it('is told how much of the history is missing, if it read any', () => {
    expect(remarks('git log', '', 1)).toMatch(/^Only the last commit is here/);
    expect(remarks('git blame a', '', 100)).toMatch(/^Only the last 100 commits .* marks with \^/);
    expect(remarks('git log')).toBe('');
    expect(remarks('git status', '', 1)).toBe('');
  });
});
