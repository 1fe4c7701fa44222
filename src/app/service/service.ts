import type { Logger } from 'pino';
import type { Budgets } from '../../agent/limits.ts';
import type { Embedder, Effort, Model } from '../../contracts/model.ts';
import { modelOpener, openEmbedder, type OfferedModels } from '../../models/index.ts';
import type { ReliefSettings } from '../../contracts/entries.ts';
import type { InstallationOf } from '../../github/access/installations.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { Redactor } from '../../lib/text/redact.ts';
import type { WriteBudget, Writer } from '../../lib/write-budget.ts';
import type { KeyedMutex } from '../../lib/keyed-mutex.ts';
import type { RepositoryRef, RepositoryName } from '../../contracts/intent.ts';
import type { ServerSettings } from '../../mcp/settings.ts';
import type { SessionStore, Store } from '../../store/store.ts';
import {
  chooseGit,
  type GitChoice,
  type GitSettings,
} from '../../workspace/git/engines/choose-engine.ts';
import { GitThreads } from '../../workspace/git/threads.ts';
import type { CommitAuthor } from '../../workspace/git/commit.ts';
import { openShells, type Shells, type ShellSettings, type ShellSurroundings } from './shells.ts';
import type { ServicePause } from '../../contracts/service.ts';
import type { JournalTracker } from './journal-tracker.ts';
import type { BorrowedDirectories } from '../../contracts/shell.ts';
import type { Session } from '../../session/session.ts';

/** What the operator offers and allows; a repository may ask for less, never for more. */
export interface Operator {
  /** `provider:name`; the first is the default. */
  readonly models: readonly [string, ...string[]];
  /** The model that works, whatever a repository's settings choose. */
  readonly onlyModel?: string;
  /** Whether a change is reviewed before it is submitted, and by which model; its own if `undefined`. */
  readonly selfReview: boolean;
  readonly reviewModel: string | undefined;
  /** How much models think; the model's default if missing. */
  readonly effort?: Effort | undefined;
  /** The highest effort that a repository may choose; `high` if missing. */
  readonly mostEffort?: Effort | undefined;
  /** The model that continues a run whose own has failed for so long; missing: none does. */
  readonly fallback?: { readonly model: string; readonly afterMs: number } | undefined;
  /** Whether any of the models is known to see images. */
  readonly areImagesSeen: boolean;
  /** `auto`: the provider's own tool calling if it has one, else `json`. */
  readonly protocol: 'auto' | 'native' | 'json' | 'react';
  /** `completion`: no tools for anyone, every run is one answer. */
  readonly mode: 'agent' | 'completion';
  readonly limits: {
    readonly turns: number;
    readonly minutes: number;
    readonly outputTokens: number;
    readonly runTokens: number | undefined;
    readonly dollars: Budgets;
  };
  readonly relief: ReliefSettings;
  /** The files in which a repository tells everyone how to work in it, in the order of the prompt. */
  readonly instructionFiles: readonly string[];
}

/** Whether an account is served, or a repository of it: others must not spend the operator's money. */
export type Serves = (owner: string, name?: string) => boolean;

/** `allowed`: accounts in lower case; `*` for all. `only`: the one repository from which events are received. */
export const servesOnly =
  (allowed: readonly string[], only?: RepositoryName): Serves =>
  (owner, name) =>
    (allowed.includes('*') || allowed.includes(owner.toLowerCase())) &&
    (only === undefined ||
      name === undefined ||
      `${only.owner}/${only.name}`.toLowerCase() === `${owner}/${name}`.toLowerCase());

/** What reaches models, repositories and commands for runs, in the service and by hand. */
interface RunTools {
  /** Opens a model, of which every request has this effort. */
  readonly openModel: (name: string, effort?: Effort) => Promise<Model>;
  /** Searches memories by meaning; without it they are searched by words only. */
  readonly embedder?: Embedder | undefined;
  /** How repositories are cloned. */
  readonly git: GitSettings;
  /** Git threads, one of them ready for the next run. */
  readonly threads: GitThreads;
  /** What runs commands; without it dangerous tools do not exist. */
  readonly shells?: Shells | undefined;
  /** The MCP servers that repositories may use. */
  readonly servers: readonly ServerSettings[];
}

/** The operator's settings of them. */
export interface RunToolSettings extends ShellSurroundings {
  readonly models: OfferedModels & {
    /** The embedding model, as `provider:name`. */
    readonly embedding: string | undefined;
  };
  /** The settings of each provider of models, with the keys of this moment. */
  readonly providers: () => ReadonlyMap<string, unknown>;
  readonly git: GitChoice;
  readonly shell: ShellSettings;
  readonly servers: readonly ServerSettings[];
}

/** The only place that opens the tools of runs. @throws {Error} for the operator */
export async function openRunTools(settings: RunToolSettings) {
  const { models, providers, log } = settings;
  const { embedding, catalog } = models;
  const chosen = await chooseGit(settings.git, log);
  const threads = new GitThreads();
  threads.warm();
  const shells = await openShells(settings.shell, settings);
  const tools: RunTools = {
    openModel: modelOpener(providers, catalog),
    embedder: embedding === undefined ? undefined : openEmbedder(embedding, providers, catalog),
    git: chosen.settings,
    threads,
    shells,
    servers: settings.servers,
  };
  const close = async (): Promise<void> => {
    await shells?.close();
    await threads.close();
    await chosen.close();
  };
  return { tools, close };
}

/** What a run needs of the service. */
export interface RunService extends RunTools {
  readonly store: SessionStore;
  readonly operator: Operator;
  /** Bots that may ask, by login, in lower case. */
  readonly allowedBots: readonly string[];
  /** Who the commits are by. */
  readonly author: () => Promise<CommitAuthor>;
  /** What an installation may still write to GitHub now. */
  readonly writeBudget: (installation: number) => Promise<WriteBudget>;
  readonly pause: PauseWatch;
  /** Raised when the process is about to stop: runs are left at their next step, for another process. */
  readonly leaving?: AbortSignal | undefined;
  /** The address of a session's page; `undefined` if people cannot reach it. */
  readonly pageUrl: (session: string) => string | undefined;
  readonly redact: Redactor['redact'];
  readonly hide: Redactor['hide'];
  readonly log: Logger;
}

/** What the service is: fixed when it starts, the same for every session. */
export interface Service extends RunService {
  readonly store: Store;
  readonly serves: Serves;
  /** A repository on GitHub, reached through the installation that is the session's at that moment. */
  readonly repository: (
    installation: InstallationOf,
    ref: RepositoryRef,
    writer?: Writer,
  ) => GitHubRepository;
  /** How long a run waits in its slot for room to write, in milliseconds. */
  readonly roomPatienceMs: number;
  /**
   * Resolves when what people did before this time, which is in the past, is received, also if GitHub could not deliver it.
   * @throws {TryLater} if that takes long, GitHub does not answer, or a delivery may still be under way
   * @throws {WaitEnded} if `signal` is aborted meanwhile
   */
  readonly receiveEventsBefore: (at: Date, signal: AbortSignal) => Promise<void>;
  /** One admission at a time for each session of this process. */
  readonly admissions: KeyedMutex;
}

type PauseSource = Pick<Store, 'servicePause'>;

/** The operator's pause of the whole service, as last looked up. */
export class PauseWatch {
  readonly #store: PauseSource;
  #current: ServicePause | undefined;

  constructor(store: PauseSource) {
    this.#store = store;
  }

  get current(): ServicePause | undefined {
    return this.#current;
  }

  async look(): Promise<ServicePause | undefined> {
    this.#current = await this.#store.servicePause();
    return this.#current;
  }
}

/** A log whose lines all say which session they are about, and on which issue of which repository. */
export const sessionLog = (log: Logger, { id, session: { thread } }: JournalTracker): Logger =>
  log.child({
    session: id,
    repository: `${thread.repository.owner}/${thread.repository.name}`,
    issue: thread.issue,
  });

/** What a run needs of the repository on GitHub. A folder on this machine can stand in for it. */
export type RunRepository = Pick<
  GitHubRepository,
  | 'gitUrl'
  | 'gitToken'
  | 'lacking'
  | 'permissionOf'
  | 'readFile'
  | 'ownersFile'
  | 'issueState'
  | 'triggerOf'
  | 'pullRequest'
  | 'relatedWork'
  | 'whyNotToPush'
  | 'mergeability'
  | 'openPullRequest'
  | 'changeBase'
  | 'markReady'
  | 'requestReview'
  | 'submitReview'
  | 'dismissReview'
  | 'dismissesStaleApprovals'
  | 'ownThreads'
  | 'resolveOwnThreads'
  | 'issue'
  | 'issues'
  | 'comment'
  | 'commits'
  | 'commitFiles'
  | 'changeSince'
  | 'branches'
  | 'hasBranch'
> & {
  /** Missing: commits are pushed. */
  readonly verifiedCommits?: GitHubRepository['verifiedCommits'];
  /** What commands see of a folder besides its commits. */
  readonly borrowed?: BorrowedDirectories | undefined;
  /** Missing: it is not. */
  readonly isPublic?: GitHubRepository['isPublic'];
};

/** What belongs to one session while it is working, and what works on it. */
export interface RunScope {
  readonly service: RunService;
  readonly tracker: JournalTracker;
  readonly github: RunRepository;
  /** The same repository for work that continues after `signal` is raised: its waits for GitHub's limits end with `until`. */
  readonly repositoryUntil?: ((until: AbortSignal) => RunRepository) | undefined;
  /** Admits or rejects the intents that have no verdict yet. */
  readonly admit: () => Promise<unknown>;
  /** Raised with a `Termination` when the work is over, and when the service stops. */
  readonly signal: AbortSignal;
}

/** The same for a session of the service. */
export interface SessionScope extends RunScope {
  readonly service: Service;
  readonly github: GitHubRepository;
}

/** What planning a run needs of the service and the session. */
export interface PlanScope {
  readonly tracker: Pick<JournalTracker, 'id' | 'session' | 'entries'>;
  readonly github: Pick<
    GitHubRepository,
    | 'readFile'
    | 'ownersFile'
    | 'lacking'
    | 'issueState'
    | 'triggerOf'
    | 'permissionOf'
    | 'pullRequest'
    | 'gitUrl'
    | 'gitToken'
  >;
  readonly service: Pick<
    Service,
    'operator' | 'allowedBots' | 'openModel' | 'shells' | 'servers' | 'redact'
  > & {
    readonly store: Pick<SessionStore, 'changes'>;
  };
  readonly signal: AbortSignal;
}

/** Whether a person has paused the session, or the operator the service. */
export const isPaused = (session: Session, pause: PauseWatch): boolean =>
  session.waiting.pausedBy !== undefined || pause.current !== undefined;
