// Kinds of settings that several providers share.
import { z } from 'zod';

export const key = z.string().trim();

/** An http(s) address without trailing slashes. */
export const address = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) address' })
  // The address is journaled and shown, so it must not contain a password.
  .refine(
    (url) => `${URL.parse(url)?.username ?? ''}${URL.parse(url)?.password ?? ''}` === '',
    'must not contain a user name or password',
  )
  .transform((url) => url.replace(/\/+$/, ''));

export const wire = z.enum(['responses', 'chat'], { error: 'must be `responses` or `chat`' });
