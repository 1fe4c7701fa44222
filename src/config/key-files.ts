// Keys that are given as files, which may be replaced while the service runs.
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { PROVIDERS } from '../models/index.ts';
import { unreadableFile, type ConfigFault, type Variables } from './faults.ts';
import { trimmedText } from './values/fields.ts';
import { createPrivateKey } from 'node:crypto';
import { unlessItFails } from '../lib/errors.ts';

const NAMES = [
  'WEBHOOK_SECRET',
  ...PROVIDERS.flatMap(({ variables }) => Object.keys(variables.shape)).filter((name) =>
    /_(?:KEY|TOKEN)$/.test(name),
  ),
];

const fileOf = (name: string): string => `${name}_FILE`;

const described = (name: string): string =>
  name === 'WEBHOOK_SECRET'
    ? 'File with `WEBHOOK_SECRET`; on a second line the other one, [while you replace it](operations.md#replacing-keys)'
    : `File with \`${name}\``;

export const KeyFileVariables = z.object(
  Object.fromEntries(
    NAMES.map((name) => [fileOf(name), trimmedText.optional().describe(described(name))]),
  ),
);

/** The variables with the keys that files hold. */
export function withKeyFiles(
  variables: Record<string, string>,
  faults: ConfigFault[],
): Record<string, string> {
  const read: Record<string, string> = { ...variables };
  for (const name of NAMES) {
    const path = variables[fileOf(name)]?.trim();
    if (path === undefined) continue;
    if (variables[name] !== undefined)
      faults.push({
        name: fileOf(name),
        fault: `is set, and so is ${name}. Remove one of the two`,
      });
    try {
      const content = isReadable(path) ? readFileSync(path, 'utf8').trim() : '';
      if (content === '') faults.push({ name: fileOf(name), fault: 'names an empty file' });
      read[name] = content;
    } catch (error) {
      faults.push({ name: fileOf(name), fault: unreadableFile(path, error) });
    }
  }
  return read;
}

/** The files with keys, that of the App among them. */
export const keyFilesOf = (
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] =>
  ['PRIVATE_KEY_PATH', ...NAMES.map(fileOf)]
    .map((name) => variables[name]?.trim() ?? '')
    .filter((path) => path !== '')
    .map((path) => resolve(path));

const MISSING =
  'missing. Use "Generate a private key" on the settings page of your GitHub App, and set PRIVATE_KEY_PATH to the file';
const DOWNLOAD =
  '"Generate a private key" on the settings page of your GitHub App downloads the right one';

/** GitHub accepts no shorter key, and generates none. */
const LEAST_BITS = 2048;

const FORM = 'must be a PEM private key ("-----BEGIN RSA PRIVATE KEY-----" …)';

export function readPrivateKey(variables: Variables, faults: ConfigFault[]): string | undefined {
  const { PRIVATE_KEY: inline, PRIVATE_KEY_PATH: path } = variables;
  if (inline !== undefined) return checked('PRIVATE_KEY', inline, faults);
  if (path === undefined) {
    faults.push({ name: 'PRIVATE_KEY', fault: MISSING });
    return undefined;
  }
  try {
    const file = path.trim();
    const key = isReadable(file) ? readFileSync(file, 'utf8') : '';
    return checked('PRIVATE_KEY_PATH', key, faults);
  } catch (error) {
    const fault = unreadableFile(path, error);
    faults.push({ name: 'PRIVATE_KEY_PATH', fault: `${fault}, or use PRIVATE_KEY` });
    return undefined;
  }
}

/** Reading a device might never end; what is said of a directory comes from reading it. */
const isReadable = (path: string): boolean =>
  statSync(path).isFile() || statSync(path).isDirectory();

function checked(name: string, given: string, faults: ConfigFault[]): string | undefined {
  const pem = inLines(decoded(given));
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPrivateKey(pem);
    if (type === 'rsa' && Number(details?.modulusLength) >= LEAST_BITS) return pem;
    const kind = type === 'rsa' ? `${details?.modulusLength} bits` : type;
    faults.push({
      name,
      fault: `must be the RSA key that GitHub generates; this is another kind (${kind}). ${DOWNLOAD}`,
    });
  } catch {
    faults.push({ name, fault: faultOf(name, pem) });
  }
  return undefined;
}

/** Some programs take a key in base64, so that it fits on a line. */
function decoded(given: string): string {
  if (!/^[A-Za-z0-9+/=\s]{500,}$/.test(given)) return given;
  const text = Buffer.from(given, 'base64').toString('latin1');
  return text.includes('-----BEGIN ') ? text : given;
}

const PEM = /-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/;
const PEM_LINE = /.{1,64}/g;

/** With the lines of PEM, if line breaks were escaped, or became blanks. */
function inLines(given: string): string {
  const text = given.replaceAll(/\\r|\\n/g, '\n');
  const [, label, body] = PEM.exec(text) ?? [];
  if (label === undefined || body === undefined) return text;
  const lines = body.replaceAll(/\s/g, '').match(PEM_LINE) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** Says what a text is that is no private key. Never repeats any of it. */
function faultOf(name: string, text: string): string {
  if (text.trim() === '') return `${FORM}, and is empty. ${DOWNLOAD}`;
  if (/ENCRYPTED/.test(text))
    return `${FORM} without a passphrase. \`openssl rsa -in key.pem -out plain.pem\` takes it off`;
  if (/-----BEGIN [A-Z ]*PUBLIC KEY-----/.test(text))
    return `${FORM}, and is a public key. ${DOWNLOAD}`;
  if (/-----BEGIN CERTIFICATE/.test(text)) return `${FORM}, and is a certificate. ${DOWNLOAD}`;
  if (text.includes('-----BEGIN ') && !text.includes('-----END '))
    return `${FORM}, and has no last line ("-----END …"): a part of it is missing. In \`.env\`, write its line breaks as \`\\n\` or use PRIVATE_KEY_PATH`;
  if (name === 'PRIVATE_KEY' && /^[\w.~:/\\ -]{1,300}\.\w{2,4}$/.test(text.trim()))
    return `${FORM}, and looks like the path of a file. Set PRIVATE_KEY_PATH to that`;
  return `${FORM}. ${DOWNLOAD}`;
}

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
