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
    const said = 'In a command, git can only read: refs/stash stays as it is.\nCannot save';
    expect(remarks('git stash', said)).toMatch(
      /^Git made no commit, branch or stash\. Use these tools instead: commit commits all/,
    );
    expect(remarks('git push origin HEAD')).toMatch(/^Git reaches no other repository here\. Use/);
    expect(remarks('git status')).toBe('');
  });

  it('is told how much of the history is missing, if it read any', () => {
    expect(remarks('git log', '', 1)).toMatch(/^Only the last commit is here/);
    expect(remarks('git blame a', '', 100)).toMatch(/^Only the last 100 commits .* marks with \^/);
    expect(remarks('git log')).toBe('');
    expect(remarks('git status', '', 1)).toBe('');
  });
});
