import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TellModel } from '../lib/errors.ts';
import { unlessItFails } from '../lib/unless-it-fails.ts';

const MOST_KEPT = 20;
/** Characters: what is not longer is in the result of its call. */
const SHORT = 4_000;
const PREFIX = 'output:';

interface KeptOutput {
  /** Must not throw: a full disk keeps nothing. */
  hear(text: string): void;
  /** The name that it has from now on; `undefined`: it is short, or could not be kept. */
  end(): string | undefined;
}

/**
 * All that commands put out, beside the work tree and removed with it: no command reaches it. Only the last ones are
 * kept.
 */
export class CommandOutputs {
  readonly #directory: string;
  #kept: readonly string[] = [];

  /** @param tree the work tree, whose parent directory is its own */
  constructor(tree: string) {
    this.#directory = join(dirname(tree), 'outputs');
  }

  begin(): KeptOutput {
    const id = randomBytes(4).toString('hex');
    const file = unlessItFails(() => {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      return openSync(join(this.#directory, id), 'wx', 0o600);
    });
    let length = 0;
    let isWhole = file !== undefined;
    return {
      hear: (text) => {
        length += text.length;
        if (file !== undefined && isWhole)
          isWhole = unlessItFails(() => writeSync(file, text)) !== undefined;
      },
      end: () => {
        if (file !== undefined) closeSync(file);
        const isKept = isWhole && length > SHORT;
        this.#keep(id, isKept);
        return isKept ? `${PREFIX}${id}` : undefined;
      },
    };
  }

  #keep(id: string, isKept: boolean): void {
    const all = isKept ? [...this.#kept, id] : this.#kept;
    const gone = [...all.slice(0, -MOST_KEPT), ...(isKept ? [] : [id])];
    for (const one of gone) unlessItFails(() => rmSync(join(this.#directory, one)));
    this.#kept = all.slice(-MOST_KEPT);
  }

  /** @throws {TellModel} if it is not kept */
  async read(name: string): Promise<Uint8Array> {
    const id = name.slice(PREFIX.length);
    if (name.startsWith(PREFIX) && this.#kept.includes(id))
      return readFile(join(this.#directory, id));
    throw new TellModel('This output is not kept any more: run the command again.');
  }
}
