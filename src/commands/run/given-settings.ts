// Settings of the repository that a person gives to one run, in place of writing them into it.
import { open } from 'node:fs/promises';
import type { SettingsLayer } from '../../session/settings/read.ts';
import { readLayer } from '../../session/settings/read.ts';

const MAX_BYTES = 100_000;

export interface GivenOptions {
  /** Commands that prepare the workspace. */
  readonly setup: readonly string[];
  /** A file like the repository's own. */
  readonly file: string | undefined;
  /** Whether the run may have commands. */
  readonly allowsCommands: boolean;
}

/** The settings, or what is wrong with them in words for the person who gave them. */
export async function readGiven({
  setup,
  file,
  allowsCommands,
}: GivenOptions): Promise<SettingsLayer | { readonly fault: string } | undefined> {
  if (setup.length > 0 && !allowsCommands)
    return { fault: '--setup runs a command, so it needs --allow-dangerous-tools too.' };
  if (setup.length === 0 && file === undefined) return undefined;
  const text = file === undefined ? '' : await textOf(file);
  if (typeof text !== 'string') return text;
  const read = readLayer(text, setup);
  return 'fault' in read
    ? {
        fault: `${file === undefined ? '--setup' : `--settings ${file}`} is invalid: ${read.fault}.`,
      }
    : { ...read, source: file === undefined ? '`--setup`' : '`--settings`' };
}

async function textOf(path: string): Promise<string | { readonly fault: string }> {
  try {
    const handle = await open(path);
    try {
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(MAX_BYTES + 1),
        0,
        MAX_BYTES + 1,
      );
      if (bytesRead > MAX_BYTES)
        return { fault: `--settings ${path} is longer than ${MAX_BYTES / 1000} kB.` };
      return buffer.subarray(0, bytesRead).toString();
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code = 'no reason given' } = Object(error) as { readonly code?: unknown };
    return { fault: `--settings ${path} cannot be read (${String(code)}).` };
  }
}
