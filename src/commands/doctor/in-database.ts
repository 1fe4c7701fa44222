import { pino } from 'pino';
import { readStore } from '../../config.ts';
import type { Act } from '../../store/control.ts';
import type { Examination } from './examination.ts';

const log = pino({ level: 'silent' });
/** A service that is starting is waited for. */
const PATIENCE_MS = 15_000;

/** `undefined` if no service has used the database. Loads the store only now, so that the other checks start without it. */
export async function inDatabase<T>(
  { environment }: Examination,
  act: Act<T>,
): Promise<T | undefined> {
  const { control, NoService } = await import('../../store/control.ts');
  const store = { ...readStore(environment), log, patienceMs: PATIENCE_MS };
  return control(store, act).catch((error: unknown) => {
    if (error instanceof NoService) return undefined;
    throw error;
  });
}
