// Stores the world in a file, except git, which is on disk already.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../../../src/lib/errors.ts';
import { RepositoryGit } from './git/repository.ts';
import type { Services } from './rest/route.ts';
import { Kept, VERSION } from './kept-world.ts';
import type { Repository, ReviewComment, Role, User } from './state.ts';
import type { Delivery } from './webhooks.ts';
import type { Installation } from './world.ts';

/** Only the newest deliveries are kept. */
const MAX_DELIVERIES = 500;

/** Stored in place of each reference to a user. */
const Reference = z.strictObject({ $user: z.string() });

export class WorldFile {
  readonly #file: string;
  /** Directory of the bare repositories. */
  readonly #directory: string;
  readonly #services: Services;
  #saved = '';
  #isDue = false;

  constructor(file: string, directory: string, services: Services) {
    this.#file = file;
    this.#directory = directory;
    this.#services = services;
  }

  /**
   * Reads the file, if there is one, into the empty world.
   * @throws {Error} naming the file, if it is invalid or has another version
   */
  load(): void {
    if (!existsSync(this.#file)) return;
    try {
      this.#restore(readFileSync(this.#file, 'utf8'));
    } catch (error) {
      throw new Error(
        `${this.#file} cannot be read (${messageOf(error)}). Restore it from a copy, or move its folder away to begin with an empty one.`,
        { cause: error },
      );
    }
  }

  /** Saves once for all changes in this turn of the event loop. */
  changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.save());
  }

  /** Writes the current world atomically. */
  save(): void {
    this.#isDue = false;
    const text = this.#snapshot();
    if (text === this.#saved) return;
    writeFileSync(`${this.#file}.new`, text, { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
    this.#saved = text;
  }

  #snapshot(): string {
    const { world, webhooks, authentication } = this.#services;
    const users = new Set<unknown>([...world.users.values(), world.app.bot]);
    const kept = {
      version: VERSION,
      lastId: world.lastId,
      users: [...world.users.values()].map((user) => ({ ...user })),
      installations: [...world.installations.values()],
      repositories: [...world.repositories.values()].map(({ git, collaborators, ...rest }) => ({
        ...rest,
        directory: path.relative(this.#directory, git.directory),
        collaborators: [...collaborators],
      })),
      ...world.moves.entries(),
      signatures: [...world.signatures],
      deliveries: webhooks.deliveries.slice(-MAX_DELIVERIES),
      tokens: authentication.tokens.map(({ installation, ...rest }) => ({
        ...rest,
        installation: installation.id,
      })),
    };
    return JSON.stringify(kept, (_key, value: unknown) =>
      users.has(value) ? { $user: (value as User).login } : value,
    );
  }

  #restore(text: string): void {
    const { world, webhooks, authentication } = this.#services;
    const users: unknown = JSON.parse(text);
    for (const user of Kept.parse(users).users)
      world.users.set(user.login.toLowerCase(), user as User);
    // References become the same user objects, because parts of the world compare users by identity.
    const kept = Kept.parse(
      JSON.parse(text, (_key, value: unknown) => {
        const reference = Reference.safeParse(value);
        if (!reference.success) return value;
        const user = world.user(reference.data.$user);
        if (user === undefined) throw new Error(`there is no user ${reference.data.$user}`);
        return user;
      }),
    );
    world.resumeIds(kept.lastId);
    for (const one of kept.installations)
      world.installations.set(one.id, one as unknown as Installation);
    for (const one of kept.repositories) {
      const repository = this.#repository(one);
      world.repositories.set(repository.fullName.toLowerCase(), repository);
    }
    this.#restoreMoves(kept);
    for (const [sha, signature] of kept.signatures) world.signatures.set(sha, signature);
    // A delivery that was under way when the process ended counts as failed.
    for (const one of kept.deliveries)
      webhooks.deliveries.push({ status: 0, ...one } as unknown as Delivery);
    for (const { installation, repositories, ...token } of kept.tokens) {
      const known = world.installations.get(installation);
      if (known !== undefined)
        authentication.restore({
          ...token,
          repositories,
          installation: known,
          expiresAt: new Date(token.expiresAt),
        });
    }
  }

  #repository(kept: z.infer<typeof Kept>['repositories'][number]): Repository {
    const { directory, collaborators, ...rest } = kept;
    const labels = new Map(rest.labels.map((label) => [label.id, label]));
    for (const issue of rest.issues)
      issue.labels = issue.labels.map((label) => labels.get(label.id) ?? label);
    return {
      ...(rest as unknown as Repository),
      ...(rest.reviewThreads === undefined ? withThreads(rest) : {}),
      collaborators: new Map(collaborators as [string, Role][]),
      git: new RepositoryGit(path.join(this.#directory, directory)),
    };
  }

  #restoreMoves({ formerNames, formerIssues }: z.infer<typeof Kept>): void {
    const { world } = this.#services;
    const byId = new Map([...world.repositories.values()].map((one) => [one.id, one]));
    for (const [name, id] of formerNames) {
      const repository = byId.get(id);
      if (repository !== undefined) world.moves.repositoryRenamed(name, repository);
    }
    for (const [from, id, number] of formerIssues) {
      const repository = byId.get(id);
      const [source = '', before = ''] = from.split('#');
      const old = byId.get(Number(source));
      if (repository !== undefined && old !== undefined)
        world.moves.issueTransferred(old, Number(before), { repository, number });
    }
  }
}

const EarlierComment = z.looseObject({
  id: z.number(),
  pullNumber: z.number(),
  path: z.string(),
  line: z.number(),
  commitSha: z.string(),
});

/** Earlier versions stored the place of a comment with it. Each becomes a thread. */
function withThreads({ reviewComments }: { reviewComments: readonly unknown[] }) {
  const earlier = z.array(EarlierComment).parse(reviewComments);
  return {
    reviewThreads: earlier.map(({ id, pullNumber, path: file, line, commitSha }) => ({
      id,
      pullNumber,
      path: file,
      side: 'RIGHT' as const,
      line,
      startLine: undefined,
      startSide: undefined,
      commitSha,
      baseSha: `${commitSha}^1`,
      resolvedBy: undefined,
    })),
    reviewComments: earlier.map((one) => ({
      ...one,
      threadId: one.id,
    })) as unknown as ReviewComment[],
  };
}
