import { onIsomorphicGit } from './suite.ts';

await onIsomorphicGit(() => import('../../unusual-names.test.ts'));
