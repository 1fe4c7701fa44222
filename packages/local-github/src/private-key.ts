import { generateKeyPairSync } from 'node:crypto';

/** A private key for an App, as GitHub makes them: RSA, PKCS #1, PEM. */
export const newPrivateKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey;
