import { beforeEach, describe } from '@jest/globals';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { forgeContract, type ForgeWorld } from '../contract/forge.ts';
import { fakeForge, type FakeForge } from '../support/fakes/fake-forge.ts';
import { fakeGit } from '../support/fakes/fake-git.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('the forge of the tools’ tests', () => {
  let fake: FakeForge;
  const open = async (commits: boolean) => {
    const files = new WorkspaceFiles(temporaryDirectory());
    const git = await fakeGit(files);
    fake = fakeForge(git);
    if (commits) {
      await files.write('a.txt', Buffer.from('a\n'));
      await git.commit({ message: 'Work', at: new Date(0) });
    }
    return fake.forge;
  };
  beforeEach(() => open(false));
  const world: ForgeWorld = {
    withCommit: () => open(true),
    withoutCommit: () => open(false),
    isDraft: () => fake.pullRequest?.draft === true,
    reviewersOf: () => fake.pullRequest?.reviewers ?? [],
    openIssue: (...issue) => fake.openIssue(...issue),
    comment: (number, author, text) => fake.comment(number, author, text),
    commentsOn: (number) =>
      fake.issues.find((issue) => issue.number === number)?.comments.map(({ text }) => text) ?? [],
  };
  forgeContract(() => world);
});
