// Texts that only this service can read again, until they expire.
import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';

/** `secrets`: all are needed to open it. `purpose`: what was sealed for another one does not open. */
interface Seal {
  readonly secrets: readonly string[];
  readonly purpose: string;
}

export type Claims = Readonly<Record<string, string>>;

export const seal = (claims: Claims, expiresAt: Date, by: Seal): Promise<string> =>
  new EncryptJWT(claims)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(expiresAt)
    .encrypt(keyOf(by));

/** `undefined`: it was changed, has expired, or was sealed otherwise. */
export async function open(
  sealed: string,
  by: Seal,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { payload } = await jwtDecrypt(sealed, keyOf(by), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      requiredClaims: ['exp'],
    });
    return payload;
  } catch {
    return undefined;
  }
}

/** The lengths keep one list of secrets from being another. */
function keyOf({ secrets, purpose }: Seal): Uint8Array {
  const material = secrets.map((secret) => `${secret.length}:${secret}`).join('');
  return new Uint8Array(hkdfSync('sha256', material, '', `issuewright ${purpose}`, 32));
}
