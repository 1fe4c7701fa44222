import { createHash } from 'node:crypto';
import { textOf, type Body } from '../../session/texts/body.ts';

export const digestOf = (body: Body): string =>
  createHash('sha256').update(textOf(body)).digest('hex');
