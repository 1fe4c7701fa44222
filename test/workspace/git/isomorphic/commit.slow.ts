import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../commit.test.ts'));
