// The token of the person who plays the human side: from the environment, from standard input, or typed. Never an argument, which
// other users of the machine can read.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Environment } from '../../config.ts';
import { TellPerson } from '../../lib/errors.ts';

const NEEDS =
  'A fine-grained token needs contents, issues and pull requests: write on the one repository; workflows: write lets one more belief be tried. Make it at Settings, Developer settings, on GitHub';

/** @throws {TellPerson} */
export async function personsToken(environment: Environment): Promise<string> {
  const given = environment['GITHUB_TOKEN']?.trim() || (await tokenFromInput());
  if (given === undefined || given === '')
    throw new TellPerson(
      `There is no token of yours, with which the human side is played. Set GITHUB_TOKEN, or pipe it in: \`gh auth token | issuewright prove OWNER/REPOSITORY\`. ${NEEDS}.`,
    );
  if (!/^[\x21-\x7e]+$/.test(given))
    throw new TellPerson(`The token has characters that no token has. Copy it again. ${NEEDS}.`);
  if (given.startsWith('ghs_'))
    throw new TellPerson(
      `The token is that of a GitHub App or a workflow, and the human side needs one of a person. ${NEEDS}.`,
    );
  return given;
}

async function tokenFromInput(): Promise<string | undefined> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) {
    stderr.write(`Your token, which is not shown (${NEEDS}): `);
    // A terminal would show what is typed.
    const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: stdin, output: hidden, terminal: true });
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    const typed = await lines.question('');
    lines.close();
    stderr.write('\n');
    return typed.trim();
  }
  stderr.write('Reading your token from standard input, since GITHUB_TOKEN is not set.\n');
  const lines = createInterface({ input: stdin });
  for await (const line of lines) {
    lines.close();
    return line.trim();
  }
  return undefined;
}
