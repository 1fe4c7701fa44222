import { generateKeyPairSync } from 'node:crypto';

const newKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey;

/**
 * The private key of the App in tests: RSA, PKCS #1, PEM. Making one takes longer than most tests do, so Jest's global
 * setup imports this file, and test files have its key from the environment.
 */
export const PRIVATE_KEY = (process.env['ISSUEWRIGHT_TEST_KEY'] ??= newKey());
