// The database of the service, and a session in it by what people call it.
import { pino } from 'pino';
import { readStore, type Environment } from '../../config.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { control, type ControlAction, type Control } from '../../store/control.ts';
import type { SessionName } from '../../store/operator.ts';
import type { SessionRow } from '../../store/store.ts';
import { spellCommand } from '../../lib/program-name.ts';

/** What was asked for is not possible. For the operator. */
export class NotPossible extends Error {
  override readonly name = 'NotPossible';
}

const OLD_TABLES =
  'The database was made by an older version of Issuewright. Start the service with this version once, and run this command again.';

/** Errors are for the operator. */
export async function onDatabase<T>(environment: Environment, act: ControlAction<T>): Promise<T> {
  const store = { ...readStore(environment), log: pino({ level: 'silent' }) };
  // What `control` itself is given to throw, it takes for a fault of the database.
  const done = await control(store, async (service) => {
    try {
      if ((await service.pendingMigrations()) > 0) throw new NotPossible(OLD_TABLES);
      return { result: await act(service) };
    } catch (error) {
      if (error instanceof NotPossible) return { impossible: error };
      throw error;
    }
  });
  if ('impossible' in done) throw done.impossible;
  return done.result;
}

const ID_LENGTH = 12;
const PREFIX = new RegExp(`^[a-z0-9]{1,${ID_LENGTH}}$`);
const PLACE = /^([\w.-]+)\/([\w.-]+)#([1-9]\d{0,8})$/;
const ADDRESS = /^\/([\w.-]+)\/([\w.-]+)\/(?:issues|pull)\/([1-9]\d{0,8})(?:\/.*)?$/;

/** @throws {NotPossible} if there is no such session, or more than one */
export async function findNamedSession({ sessions }: Control, given: string): Promise<SessionRow> {
  const name = nameIn(given);
  if (name === undefined)
    throw new NotPossible(
      `No session matches “${escapeUnseen(given)}”. Give its id or the start of it, owner/name#12, or the address of its issue or pull request.`,
    );
  const found = await sessions.named(name, MOST_SHOWN + 1);
  const [first, second] = found;
  if (first === undefined)
    throw new NotPossible(
      `There is no session ${escapeUnseen(given)}. To list all, run \`${spellCommand('sessions')}\`.`,
    );
  // Of an issue that had several, the newest is meant.
  if (!('prefix' in name) || second === undefined) return first;
  const ids = found.slice(0, MOST_SHOWN).map(({ id }) => id);
  throw new NotPossible(
    `Several sessions start with ${given}: ${ids.join(', ')}${found.length > MOST_SHOWN ? ', …' : ''}. Give more of its id.`,
  );
}

const MOST_SHOWN = 5;

function nameIn(given: string): SessionName | undefined {
  if (PREFIX.test(given)) return { prefix: given };
  const [, owner, name, number] =
    PLACE.exec(given) ?? ADDRESS.exec(URL.parse(given)?.pathname ?? '') ?? [];
  if (owner === undefined || name === undefined) return undefined;
  return { owner, name, number: Number(number) };
}
