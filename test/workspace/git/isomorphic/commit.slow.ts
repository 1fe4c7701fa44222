import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../publish/commit.test.ts'));
