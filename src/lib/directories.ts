import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { hasCode } from './errors.ts';
import { hasCredential } from './text/redact.ts';

/**
 * Makes a directory and those around it, each once. Node's own `recursive` never ends on a file system that
 * says of an existing directory's child that it cannot be found, as `/proc` does.
 */
export function makeDirectories(path: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at);
  for (const each of missing.reverse()) make(each, mode);
  // The system's words for what is no directory.
  if (!statSync(path).isDirectory()) mkdirSync(path);
}

/** Another process may make it at the same time. */
function make(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

// The names of directories for temporary files. Each has the id of the process that made it, so that a later process can
// recognise what one left that was killed.

const NAME = /^issuewright-(\d+)-\w{6}$/;

/** How the name of a directory begins that this process makes. Six letters or digits follow. */
export const TEMPORARY_PREFIX = `issuewright-${process.pid}-`;

/** The id of the process that made a directory of this name; `undefined` if it is not a name of ours. */
export function makerOf(name: string): number | undefined {
  const [, pid] = NAME.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/** Where the system keeps its programs. The last one is NixOS's only such place. */
export const SYSTEM_PATH = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/run/current-system/sw/bin',
] as const;

const LONGEST_PATH = 1000;
/** Too short to be a secret. */
const PLAIN_NAME = /^\/?[a-z]{1,8}$/;
const FILE_NAME = /^[\w./ @~-]+\.(?:pem|key|json)$/;

/**
 * The whole path that a setting names, only if it surely is one: people paste secrets into the wrong variable. Any
 * word names a file of this directory, and of the root.
 */
export function shownSettingPath(setting: string): string | undefined {
  const path = setting.trim();
  if (/[\n\0]/.test(path) || path.length > LONGEST_PATH) return undefined;
  if (hasCredential(path)) return undefined;
  const isPath = PLAIN_NAME.test(path) || FILE_NAME.test(path) || isBelowDirectory(path);
  return isPath ? resolve(path) : undefined;
}

/** Names one that exists, other than the root. */
function isBelowDirectory(path: string): boolean {
  for (let at = dirname(path); at !== '/' && at !== '.'; at = dirname(at))
    if (statSync(at, { throwIfNoEntry: false })?.isDirectory() === true) return true;
  return false;
}
