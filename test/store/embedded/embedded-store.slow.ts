import { afterAll } from '@jest/globals';
import { openStore } from '../../../src/store/open.ts';
import { storeContract } from '../../contract/store.ts';
import { silent, temporaryDirectory } from '../../contract/store-world.ts';

const directory = temporaryDirectory();
storeContract('an embedded server', () => openStore({ dataDir: directory.path, log: silent }));
afterAll(() => directory.remove());
