import { statSync } from 'node:fs';
import { unlessItFails } from './unless-it-fails.ts';

interface FileValueOptions<T> {
  readonly files: readonly string[];
  /** What was read from them already. */
  readonly first: T;
  /** Reads them again. */
  readonly read: () => T;
  readonly changed: (value: T) => void;
  /** What they hold now cannot be used: the value stays as it was. */
  readonly failed: (error: unknown) => void;
}

/** A value that was read from files, and is read again once one of them is another or was written to. */
export class FileValue<T> {
  readonly #options: FileValueOptions<T>;
  #value: T;
  #stamps: string;

  constructor(options: FileValueOptions<T>) {
    this.#options = options;
    this.#value = options.first;
    this.#stamps = stampsOf(options.files);
  }

  get current(): T {
    const { files, read, changed, failed } = this.#options;
    const stamps = stampsOf(files);
    if (stamps === this.#stamps) return this.#value;
    this.#stamps = stamps;
    try {
      this.#value = read();
      changed(this.#value);
    } catch (error) {
      failed(error);
    }
    return this.#value;
  }
}

const stampsOf = (files: readonly string[]): string =>
  files
    .map((file) => {
      const found = unlessItFails(() => statSync(file, { bigint: true }));
      return found === undefined ? 'none' : `${found.ino} ${found.mtimeNs} ${found.size}`;
    })
    .join();
