import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../../diff.test.ts'));
