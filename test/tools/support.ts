import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { patchesFor } from '../../src/app/run/ports/patches.ts';
import { prepare, toolbox, type Toolbox } from '../../src/agent/dispatch.ts';
import { finishingCall } from '../../src/tools/flow/finish.ts';
import type { ToolResult } from '../../src/contracts/tool.ts';
import { TellModel } from '../../src/lib/errors.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { bindTools } from '../../src/tools/index.ts';
import type { ReviewResult, Reviewer, Secrets } from '../../src/tools/define-tool.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { makePlace } from '../../src/workspace/search/walk.ts';
import { WorkspaceSearch } from '../../src/workspace/search/search.ts';
import { fakeCommands, type FakeCommands } from '../support/fakes/fake-commands.ts';
import { fakeForge, type FakeForge } from '../support/fakes/fake-forge.ts';
import { fakeGit, type FakeGit } from '../support/fakes/fake-git.ts';
import { fakeMemories, type FakeMemories } from '../support/fakes/fake-memories.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export interface Bench {
  readonly root: string;
  readonly files: WorkspaceFiles;
  readonly git: FakeGit;
  readonly hub: FakeForge;
  readonly commands: FakeCommands;
  readonly memories: FakeMemories;
  readonly reviews: Reviews;
  readonly tools: Toolbox;
  /** Calls a tool as the agent does: by name, with whatever JSON. */
  readonly call: (tool: string, args?: unknown, tools?: ReadonlySet<string>) => Promise<ToolResult>;
  /** The same, but that the service dies before it journals the result; the next call is the repeat. */
  readonly crashIn: (tool: string, args?: unknown) => Promise<ToolResult>;
  readonly text: (path: string) => Promise<string>;
}

/** What reviews of the change say, and what was reviewed: the paths of what is not committed yet, and the summary. */
interface Reviews {
  readonly next: ReviewResult[];
  readonly seen: { readonly unpushed: readonly string[]; readonly summary: string }[];
}

/** One skill. */
const SKILLS = {
  read: (name: string): string => {
    if (name === 'release-notes') return 'Write them by hand.';
    throw new TellModel(`There is no skill ${name}.`);
  },
};

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
  const search = new WorkspaceSearch(makePlace(root));
  const commands = fakeCommands(root);
  const memories = fakeMemories();
  const { forge, work } = hub;
  const reviews: Reviews = { next: [], seen: [] };
  const reviewer: Reviewer = {
    review: ({ unpushed, summary }) => {
      reviews.seen.push({ unpushed: unpushed.map(({ path }) => path), summary });
      return Promise.resolve(reviews.next.shift());
    },
  };
  const redact = (text: string): string => text;
  const patches = patchesFor({ tracker: hub.journal, forge, git, workspace: { git }, redact });
  const { hide } = createRedactor(['the-operator-password']);
  const secrets: Secrets = { hide: (text) => Promise.resolve(hide(text)) };
  const ports = { files, search, git, forge, work, secrets };
  const tools = toolbox(
    bindTools({ ...ports, commands, memories, skills: SKILLS, reviewer, patches }),
    {
      conclude: finishingCall,
    },
  );
  const { signal } = new AbortController();
  let seconds = 0;
  const run = async (
    tool: string,
    args: unknown,
    names?: ReadonlySet<string>,
  ): Promise<ToolResult> => {
    const prepared = prepare(tools, { tool, arguments: args });
    if ('fault' in prepared) throw new TellModel(prepared.fault);
    const context = { startedAt: new Date(seconds * 1000), signal };
    return prepared.run(names === undefined ? context : { ...context, tools: names });
  };
  return {
    root,
    files,
    git,
    hub,
    commands,
    memories,
    reviews,
    tools,
    call: async (tool, args = {}, names) => {
      const result = await run(tool, args, names);
      seconds += 1;
      hub.journal.turn({ calls: [{ tool, result: { effects: result.effects ?? [] } }] });
      return result;
    },
    crashIn: async (tool, args = {}) => {
      const takeBack = git.standing();
      const result = await run(tool, args);
      takeBack();
      return result;
    },
    text: async (path) => Buffer.from(await files.read(path)).toString(),
  };
}
