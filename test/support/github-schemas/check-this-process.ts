// For `node --import`: the local GitHubs of this process are checked.
import { observeLocalGitHubs } from './observe.ts';

observeLocalGitHubs(globalThis);
