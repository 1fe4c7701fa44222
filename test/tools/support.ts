import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { prepare, toolbox } from '../../src/agent/dispatch.ts';
import type { ToolResult } from '../../src/agent/tool.ts';
import type { Effect } from '../../src/session/entry.ts';
import { TellModel } from '../../src/lib/errors.ts';
import { makeTools } from '../../src/tools/index.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { fakeForge } from '../support/fake-forge.ts';
import type { FakeForge } from '../support/fake-forge.ts';
import { fakeGit } from '../support/fake-git.ts';
import type { FakeGit } from '../support/fake-git.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export interface Bench {
  readonly root: string;
  readonly files: WorkspaceFiles;
  readonly git: FakeGit;
  readonly hub: FakeForge;
  /** Calls a tool as the agent does: by name, with whatever JSON. */
  readonly call: (tool: string, args?: unknown) => Promise<ToolResult<Effect>>;
  readonly text: (path: string) => Promise<string>;
}

/** The tools over a real directory with these files, a git and a forge in memory. */
export async function bench(seed: Record<string, string | Uint8Array> = {}): Promise<Bench> {
  const root = temporaryDirectory();
  for (const [path, content] of Object.entries(seed)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const files = new WorkspaceFiles(root);
  const git = await fakeGit(files);
  const hub = fakeForge(git);
  const tools = toolbox(makeTools({ files, git, forge: hub.forge, work: hub.work }));
  const context = { startedAt: new Date(0), signal: new AbortController().signal };
  return {
    root,
    files,
    git,
    hub,
    call: async (tool, args = {}) => {
      const prepared = prepare(tools, { tool, arguments: args });
      if ('fault' in prepared) throw new TellModel(prepared.fault);
      return prepared.run(context);
    },
    text: async (path) => Buffer.from(await files.read(path)).toString(),
  };
}
