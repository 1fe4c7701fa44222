// What the local GitHub and its repositories begin with.
import type { Logger } from 'pino';
import type { LimitSettings } from './limits.ts';
import type { RegisteredApp } from './registrations.ts';
import type { Role } from './state.ts';

export interface LocalGitHubOptions {
  /** Directory of the bare repositories; created if it does not exist. */
  readonly directory: string;
  /** Stores everything but git between processes. Read at the start if it exists. */
  readonly worldFile?: string;
  readonly app: {
    readonly id: number;
    readonly slug: string;
    readonly name: string;
    readonly privateKeyPem: string;
    readonly webhookSecret: string;
    /** For the sign-in of people; without one there is none. */
    readonly clientSecret?: string | undefined;
    /** Where the sign-in may lead back to; nowhere by default. */
    readonly callbackUrls?: readonly string[] | undefined;
    /** `appOwner` can set it later. Without one, deliveries fail. */
    readonly webhookUrl?: string;
    /** The permissions of every installation. */
    readonly permissions?: Record<string, 'read' | 'write'>;
    /** The events that the App subscribes to. */
    readonly events?: readonly string[];
  };
  readonly users: readonly { readonly login: string }[];
  readonly log?: Logger;
  /** Called with an App that takes the place of this one, as its owner has to keep it. */
  readonly onNewApp?: (app: RegisteredApp) => void;
  /** What GitHub allows an installation; no limits if omitted. */
  readonly limits?: LimitSettings | undefined;
  /** Versions of the REST API; those of github.com if omitted. None: an Enterprise Server from before there were any. */
  readonly apiVersions?: readonly string[] | undefined;
  /** With it, and from this machine, repositories and people can be added; nobody can if omitted. */
  readonly additionKey?: string;
  /** A free port by default. */
  readonly port?: number;
}

export interface NewRepository {
  readonly owner: string;
  readonly name: string;
  /** Missing if it has no commit yet. */
  readonly files?: Record<string, string>;
  /** Roles by login. New people are created. */
  readonly collaborators: Record<string, Role>;
  /** Id of the App's installation on the repository; 1 by default, `null`: the App is not installed. */
  readonly installationId?: number | null;
}
