import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../merge/merged-workspace.slow.ts'));
