import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/store/database.ts';
import { startEmbedded, type EmbeddedServer } from '../../src/store/embedded/server.ts';
import { openStore } from '../../src/store/open.ts';
import { recordSpending } from '../../src/store/spending.ts';
import {
  delivery,
  newRepository,
  reply,
  sessionOf,
  silent,
  temporaryDirectory,
} from '../contract/store-world.ts';

const directory = temporaryDirectory();
let server: EmbeddedServer;

beforeAll(async () => {
  server = await startEmbedded(directory.path, silent);
});
afterAll(async () => {
  await server.stop();
  directory.remove();
});

describe('what was spent', () => {
  it('can be written anew from the journal', async () => {
    const { host, port, user, database: name } = server.connection;
    const databaseUrl = `postgresql://${user}@${encodeURIComponent(host)}:${port}/${name}`;
    const store = await openStore({ databaseUrl, dataDir: '/unused', log: silent });
    const database = openDatabase(server.connection, silent);
    const happens = newRepository();
    const spent = () => store.spentSince(happens().repository.id, new Date(0));
    const id = sessionOf(await store.accept(happens(), delivery()));
    await store.append(id, [reply(0.5), reply(null), reply(0.25)]);
    expect(await spent()).toBe(0.75);

    await database.deleteFrom('spending').execute();
    expect(await spent()).toBe(0);
    const session = await store.session(id);
    const journal = await store.journal(id);
    await database.transaction().execute((transaction) => {
      return recordSpending(transaction, session!, journal);
    });
    expect(await spent()).toBe(0.75);
    await database.destroy();
    await store.close();
  });
});
