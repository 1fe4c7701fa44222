import { newPrivateKey } from '../../packages/local-github/src/private-key.ts';

/**
 * The private key of the App in tests. Making one takes longer than most tests do, so Jest's global
 * setup imports this file, and test files have its key from the environment.
 */
export const PRIVATE_KEY = (process.env['ISSUEWRIGHT_TEST_KEY'] ??= newPrivateKey());
