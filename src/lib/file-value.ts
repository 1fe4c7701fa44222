import { statSync } from 'node:fs';
import { unlessItFails } from './errors.ts';

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

/** What failed may pass without a change of the files, as a lack of file descriptors does. */
const RETRY_MS = 10_000;

/** A value that was read from files, and is read again once one of them is another, was written to, or may be read by others. */
export class FileValue<T> {
  readonly #options: FileValueOptions<T>;
  #value: T;
  #stamps: string;
  #retryAt = Infinity;
  #told: string | undefined;

  constructor(options: FileValueOptions<T>) {
    this.#options = options;
    this.#value = options.first;
    this.#stamps = stampsOf(options.files);
  }

  get current(): T {
    const stamps = stampsOf(this.#options.files);
    if (stamps !== this.#stamps) this.#told = undefined;
    else if (performance.now() < this.#retryAt) return this.#value;
    this.#stamps = stamps;
    this.#read();
    return this.#value;
  }

  #read(): void {
    const { read, changed, failed } = this.#options;
    try {
      this.#value = read();
      this.#retryAt = Infinity;
      changed(this.#value);
    } catch (error) {
      this.#retryAt = performance.now() + RETRY_MS;
      if (String(error) !== this.#told) failed(error);
      this.#told = String(error);
    }
  }
}

const stampsOf = (files: readonly string[]): string =>
  files
    .map((file) => {
      const found = unlessItFails(() => statSync(file, { bigint: true }));
      return found === undefined ? 'none' : `${found.ino} ${found.ctimeNs} ${found.size}`;
    })
    .join();
