import { createHash } from 'node:crypto';
import { plainBody, type Body } from '../../session/texts/body.ts';

export const digestOf = (body: Body): string =>
  createHash('sha256').update(plainBody(body)).digest('hex');
