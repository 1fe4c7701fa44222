import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../patch-applies.slow.ts'));
