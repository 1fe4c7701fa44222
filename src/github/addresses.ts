import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureCheck } from '../contracts/delivery.ts';

/** A GitHub Enterprise Server; `undefined` for github.com. */
export type Enterprise = { readonly host: string; readonly protocol: string } | undefined;

/** GitHub's address for people, and that of its API. */
export function addressesOf(enterprise: Enterprise): { url: string; baseUrl: string } {
  if (enterprise === undefined)
    return { url: 'https://github.com', baseUrl: 'https://api.github.com' };
  const { protocol, host } = enterprise;
  const url = `${protocol}://${host}`;
  // GitHub Enterprise Cloud with data residency has its API at a host of its own, as github.com does.
  const isCloud = /^[a-z\d-]+\.ghe\.com$/i.test(host);
  return { url, baseUrl: isCloud ? `${protocol}://api.${host}` : `${url}/api/v3` };
}

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
