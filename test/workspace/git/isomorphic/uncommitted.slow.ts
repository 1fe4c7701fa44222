import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../uncommitted.test.ts'));
