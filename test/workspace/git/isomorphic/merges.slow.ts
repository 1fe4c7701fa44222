import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../merged-workspace.slow.ts'));
