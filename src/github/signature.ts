import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureCheck } from '../contracts/delivery.ts';

/** Checks a value of `X-Hub-Signature-256` while the body arrives. */
export function checkSignature(secret: string, signature: string): SignatureCheck {
  const hmac = createHmac('sha256', secret);
  return {
    update: (chunk) => {
      hmac.update(chunk);
    },
    isValid: () => {
      const expected = Buffer.from(`sha256=${hmac.digest('hex')}`);
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
