import { describe, expect, it } from '@jest/globals';
import { publicGit } from '../../../../src/app/run/ports/public-git.ts';
import type { Workspace } from '../../../../src/workspace/workspace.ts';
import { Journal } from '../../../support/journal.ts';

const SESSION = {
  tracker: new Journal().start(),
  github: { gitUrl: 'https://github.test/o/r.git' },
};

const TRAILER = 'Co-authored-by: octo <5+octo@users.noreply.github.com>';

describe('a diff', () => {
  it('says of a file that the settings close only that it changed', async () => {
    const git: Workspace['git'] = {
      changes: async () => [],
      diff: async () => [
        { path: 'a.txt', status: 'modified', hunks: '+a\n' },
        { path: 'b.txt', from: 'keys/b.txt', status: 'renamed', hunks: '+secret\n' },
      ],
      workflowChange: () => Promise.resolve(undefined),
      recover: () => Promise.resolve(undefined),
      inLfs: () => Promise.resolve([]),
      includeMade: () => Promise.resolve(),
      commit: async () => undefined,
    };
    const shown = publicGit(
      { ...SESSION, redact: String },
      { git },
      { trailers: [], paths: { deny: ['keys/'] } },
    );
    expect(await shown.diff('')).toEqual([
      { path: 'a.txt', status: 'modified', hunks: '+a\n' },
      { path: 'b.txt', from: 'keys/b.txt', status: 'renamed', why: 'closed' },
    ]);
  });
});

describe('a commit message', () => {
  it('notifies no one, closes nothing, contains no secret, and ends with the requester of the work', async () => {
    const messages: string[] = [];
    const git: Workspace['git'] = {
      changes: async () => [],
      diff: async () => [],
      workflowChange: () => Promise.resolve(undefined),
      recover: () => Promise.resolve(undefined),
      inLfs: () => Promise.resolve([]),
      includeMade: () => Promise.resolve(),
      commit: async ({ message }) => {
        messages.push(message);
        return undefined;
      },
    };
    const redact = (text: string) => text.replaceAll('s3cret-token', '[redacted]');
    const message =
      'Say why\n\nFixes #1 for @octo with s3cret-token\nSigned-off-by: Somebody <s@x>';
    await publicGit({ ...SESSION, redact }, { git }, { trailers: [TRAILER], paths: {} }).commit({
      message,
      at: new Date(0),
    });
    expect(messages).toEqual([
      `Say why\n\nFixes → #1 for ＠octo with [redacted]\nSigned-off-by： Somebody <s@x>\n\n${TRAILER}`,
    ]);
  });
});
