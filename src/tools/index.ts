import type { Tool } from '../agent/tool.ts';
import type { Effect } from '../session/entry.ts';
import { askQuestion } from './ask-question.ts';
import { commit } from './commit.ts';
import { createPullRequest } from './create-pull-request.ts';
import { editFile } from './edit-file.ts';
import { finish } from './finish.ts';
import { grepSearch } from './grep-search.ts';
import { listDirectory } from './list-directory.ts';
import type { Ports } from './ports.ts';
import { readFile } from './read-file.ts';
import { updatePlan } from './update-plan.ts';
import { writeFile } from './write-file.ts';

/** The tools, in the order in which the model is told of them. A new tool is one file and one line. */
const TOOLS: readonly ((ports: Ports) => Tool<Effect>)[] = [
  listDirectory,
  grepSearch,
  readFile,
  editFile,
  writeFile,
  updatePlan,
  commit,
  createPullRequest,
  askQuestion,
  finish,
];

export const makeTools = (ports: Ports): Tool<Effect>[] => TOOLS.map((make) => make(ports));
