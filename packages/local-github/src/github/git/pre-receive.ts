// The hook that rejects pushes, and what it asks the local GitHub.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';

/**
 * git shows the hook's message as `remote: …`. It rejects what a test ordered (the file `deny-push` contains the
 * message), and asks the local GitHub about everything else: it writes the changes to descriptor 3, and reads from
 * descriptor 4 `ok`, or another line and the message.
 */
export const PRE_RECEIVE_HOOK = `#!/bin/sh
if [ -f deny-push ]; then
  cat deny-push >&2
  exit 1
fi
[ "$LOCAL_GITHUB" = asked ] || exit 0
{ echo "\${GIT_QUARANTINE_PATH:-objects}"; cat; echo; } >&3
read -r verdict <&4 || exit 1
[ "$verdict" = ok ] && exit 0
cat <&4 >&2
exit 1
`;

/** Why a test has all pushes rejected: then the API moves no ref either. */
export const orderedDenial = (directory: string): Promise<string | undefined> =>
  readFile(path.join(directory, 'deny-push'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

interface Question {
  /** The environment in which git finds the pushed objects. */
  readonly objects: Readonly<Record<string, string>>;
  readonly moves: readonly {
    readonly ref: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
  }[];
}

/** Resolves with the message of a rejected push, or with `undefined` if it is accepted. */
export type Judge = (question: Question) => Promise<readonly string[] | undefined>;

/** Answers the hook, if it asks. */
export async function answerHook(
  directory: string,
  asked: Readable,
  answer: Writable,
  judge: Judge,
): Promise<void> {
  let text = '';
  answer.on('error', () => undefined);
  for await (const chunk of asked) {
    text += String(chunk);
    if (text.endsWith('\n\n')) break;
  }
  if (!text.endsWith('\n\n')) return void answer.end();
  const message = await judge(questionOf(directory, text)).catch((error: unknown) => [
    String(error),
  ]);
  answer.end(message === undefined ? 'ok\n' : ['no', ...message, ''].join('\n'));
}

function questionOf(directory: string, text: string): Question {
  const [quarantine = '', ...lines] = text.trim().split('\n');
  const known = (sha: string | undefined) =>
    sha === undefined || /^0+$/.test(sha) ? undefined : sha;
  return {
    objects: {
      GIT_OBJECT_DIRECTORY: path.resolve(directory, quarantine),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(directory, 'objects'),
    },
    moves: lines.map((line) => {
      const [before, after, ref = ''] = line.split(' ');
      return { ref, before: known(before), after: known(after) };
    }),
  };
}
