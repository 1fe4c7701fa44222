import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../publish/uncommitted.test.ts'));
