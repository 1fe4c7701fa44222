import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../git-failures.slow.ts'));
