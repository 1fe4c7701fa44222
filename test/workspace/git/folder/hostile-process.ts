// Uses folders as `issuewright run` does, as whoever started this process. Reads their paths, a line each, and prints what
// came of each: `worked`, `refused:` with the words for a person, or `failed:`.
import { readFileSync } from 'node:fs';
import { TellPerson } from '../../../../src/lib/errors.ts';
import { FolderRepository } from '../../../../src/workspace/git/folder/folder.ts';
import { serveFolder } from '../../../../src/workspace/git/folder/folder-server.ts';
import { pushCommit } from './folder-client.ts';

async function work(folder: string): Promise<void> {
  process.chdir(folder);
  const repository = await FolderRepository.find(folder, new AbortController().signal);
  try {
    await use(repository);
  } finally {
    await repository.close();
  }
}

async function use(repository: FolderRepository): Promise<void> {
  const { commit } = repository.head();
  await repository.uncommitted();
  await repository.branches();
  await repository.log(commit, undefined, 10);
  await repository.readFile(commit, 'readme.md');
  await repository.commitDiff(commit);
  const server = await serveFolder(repository);
  try {
    const made = await pushCommit(server, commit);
    await repository.changeSince(commit, made);
    await repository.patchSince(commit, made);
  } finally {
    await server.close();
  }
}

for (const folder of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  let came = 'worked';
  try {
    await work(folder);
  } catch (error) {
    came = `${error instanceof TellPerson ? 'refused' : 'failed'}: ${String(error)}`;
  }
  process.stdout.write(`${JSON.stringify(came)}\n`);
}
