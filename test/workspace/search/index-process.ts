// A process that adds the files of a directory to an index, and ends once it has. Prints how many it added.
import { ask, filesIn, indexed } from './indexed.ts';

const [root = '', directory = ''] = process.argv.slice(2);
const { search, index, failures } = indexed(root, filesIn(root), { directory });
await ask(search, 'apple');
const built = await index.built();
if (failures.length > 0) throw new Error('it failed', { cause: failures[0] });
process.stdout.write(String(built?.files ?? 0));
