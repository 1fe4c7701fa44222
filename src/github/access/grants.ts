// What the owners of installations have granted: not every App asks for all, and not every owner accepts all.
import type { ProbotOctokit } from 'probot';
import type { Permissions } from './permissions.ts';

interface Grant {
  readonly permissions: Permissions;
  /** The page on which the owner of the account grants more. */
  readonly settings: string;
}

export interface Grants {
  /** What GitHub says, at most a minute ago. */
  of(installation: number): Promise<Grant>;
  forget(installation: number): void;
}

interface Asked {
  readonly grant: Promise<Grant>;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** GitHub tells one process of a change; the others learn of it by this. */
const KEPT_MS = 60_000;

export function createGrants(appOctokit: () => Promise<ProbotOctokit>, now: () => number): Grants {
  const asked = new Map<number, Asked>();

  const ask = (installation: number): Promise<Grant> => {
    const grant = fetchGrant(appOctokit, installation);
    const one = { grant, until: now() + KEPT_MS };
    asked.set(installation, one);
    grant.catch(() => asked.get(installation) === one && asked.delete(installation));
    return grant;
  };

  return {
    of: (installation) => {
      const known = asked.get(installation);
      return known !== undefined && known.until > now() ? known.grant : ask(installation);
    },
    forget: (installation) => void asked.delete(installation),
  };
}

async function fetchGrant(
  appOctokit: () => Promise<ProbotOctokit>,
  installation_id: number,
): Promise<Grant> {
  const octokit = await appOctokit();
  const { data } = await octokit.rest.apps.getInstallation({ installation_id });
  return { permissions: data.permissions, settings: data.html_url };
}
