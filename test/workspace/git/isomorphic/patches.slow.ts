import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../publish/patch-applies.slow.ts'));
