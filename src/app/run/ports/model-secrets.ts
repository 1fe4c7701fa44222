// What the model does not see. People, logs and GitHub see less: whatever has the format of a credential is hidden from them.
import { TellModel, TellPerson, TryLater, unless } from '../../../lib/errors.ts';
import { isPlaceholder } from '../../../lib/text/placeholder.ts';
import { KEY_EDGE, REDACTED } from '../../../lib/text/redact.ts';
import { escapeExpression } from '../../../lib/text/text.ts';
import type { Secrets } from '../../../tools/define-tool.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import type { RunScope } from '../../service/service.ts';

/** New credentials of one text that are looked for in the commit; more are hidden. */
const MOST_SOUGHT = 20;
const MOST_LINES = 200;

interface ModelSecretsDeps {
  readonly service: Pick<RunScope['service'], 'hide'>;
  readonly github: Pick<RunScope['github'], 'isPublic'>;
  readonly workspace: Pick<Workspace, 'search' | 'committed'>;
  /** Whether commands see this machine, and not only the workspace. */
  readonly isUncontained: boolean;
  readonly signal: AbortSignal;
}

/**
 * Hides from the model what the service knows to be secret, and what has the format of a credential. In a public
 * repository, placeholders and what its last commit contains are no secrets: everyone can read them.
 */
export function modelSecrets(deps: ModelSecretsDeps): Secrets {
  const { hide } = deps.service;
  const committed = new Map<string, boolean>();
  let isPublic: boolean | undefined;
  return {
    hide: async (text) => {
      const found = new Set<string>();
      const hidden = hide(text, (credential) => {
        // What is hidden of it already is a value that the service knows.
        if (!credential.includes(REDACTED)) found.add(credential);
        return false;
      });
      if (found.size === 0 || deps.isUncontained) return hidden;
      isPublic ??= await askIsPublic(deps.github);
      if (isPublic !== true) return hidden;
      const sought = [...found].filter((one) => !isPlaceholder(one) && !committed.has(one));
      for (const [one, is] of await findCommitted(sought.slice(0, MOST_SOUGHT), deps))
        committed.set(one, is);
      return hide(
        text,
        (one) => found.has(one) && (isPlaceholder(one) || committed.get(one) === true),
      );
    },
  };
}

/** `undefined`: GitHub does not say at the moment. */
async function askIsPublic({ isPublic }: ModelSecretsDeps['github']): Promise<boolean | undefined> {
  try {
    return (await isPublic?.()) ?? false;
  } catch (error) {
    if (error instanceof TryLater || error instanceof TellPerson) return undefined;
    throw error;
  }
}

/** Which of the credentials the last commit contains, each in one file. */
async function findCommitted(
  credentials: readonly string[],
  { workspace, signal }: ModelSecretsDeps,
): Promise<ReadonlyMap<string, boolean>> {
  const parts = new Map(credentials.map((one) => [one, partsOf(one)]));
  const found = new Map(credentials.map((one) => [one, false]));
  if (credentials.length === 0) return found;
  const pattern = [...parts.values()].map((of) => escapeExpression(longest(of))).join('|');
  const request = { pattern, ignoreCase: false, path: '.', context: 0, maxMatches: MOST_LINES };
  const places = await unless(TellModel, workspace.search.grep(request, signal));
  for (const { path } of places?.found ?? []) {
    const content = await workspace.committed(path);
    if (content === undefined) continue;
    for (const [one, of] of parts)
      if (of.every((part) => content.includes(part))) found.set(one, true);
  }
  return found;
}

/** The lines of a key, whatever is around them; a URL without what follows its host; anything else as it is. */
function partsOf(credential: string): readonly string[] {
  if (credential.startsWith('-----'))
    return credential.replaceAll(KEY_EDGE, ' ').match(/[A-Za-z0-9+/=]{6,}/g) ?? [credential];
  return [/^:\/\/[^@]*@[\w.-]*/.exec(credential)?.[0] ?? credential];
}

const longest = (parts: readonly string[]): string =>
  parts.reduce((one, other) => (other.length > one.length ? other : one));
