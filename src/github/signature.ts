import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureCheck } from '../contracts/delivery.ts';

/** Checks a value of `X-Hub-Signature-256` while the body arrives. One of the secrets has to fit. */
export function checkSignature(secrets: readonly string[], signature: string): SignatureCheck {
  const given = Buffer.from(signature);
  const hmacs = secrets.map((secret) => createHmac('sha256', secret));
  return {
    update: (chunk) => {
      for (const hmac of hmacs) hmac.update(chunk);
    },
    isValid: () =>
      hmacs
        .map((hmac) => Buffer.from(`sha256=${hmac.digest('hex')}`))
        .some((expected) => given.length === expected.length && timingSafeEqual(given, expected)),
  };
}
