import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../publish/late-workflows.slow.ts'));
