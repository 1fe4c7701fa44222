// Kinds of settings that several providers have.
import { z } from 'zod';

export const key = z.string().trim();

/** Without the slashes at its end. */
export const address = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) address' })
  // It is journaled and shown: a password in it would be as well.
  .refine(
    (url) => new URL(url).username + new URL(url).password === '',
    'must not contain a user name or password',
  )
  .transform((url) => url.replace(/\/+$/, ''));

export const wire = z.enum(['responses', 'chat'], { error: 'must be `responses` or `chat`' });
