import { unlessItFails } from '../../lib/unless-it-fails.ts';

/** The password in an address, as it is written there and as the server knows it. */
export function passwordsIn(address: string | undefined): readonly string[] {
  const written = URL.parse(address ?? '')?.password ?? '';
  const known = unlessItFails(() => decodeURIComponent(written));
  return known === undefined ? [written] : [written, known];
}
