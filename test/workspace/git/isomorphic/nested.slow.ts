import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../../nested-repositories.test.ts'));
