import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../../command-changes.test.ts'));
