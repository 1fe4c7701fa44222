import { storeContract } from '../contract/store.ts';
import { newDatabase, open } from './url-database.ts';

// On the embedded server, which is another way to reach the same: `npm run test:integration`.
storeContract('a server by its URL', async () => open(await newDatabase()));
