// The commands that look at sessions, and change them.
import type { Command as Parser } from 'commander';
import { JSON_OPTION, type Command } from '../command.ts';
import { STATE_WORDS } from './state-words.ts';
import { spellCommand } from '../../lib/program-name.ts';

const SESSION = [
  '<session>',
  'its id or the start of it, owner/name#12, or the address of its issue or pull request',
] as const;

const LIST_HELP = `
Newest first, a line for each: id, state, issue, age, cost, title, outcome. Lines are cut to the width of the terminal.

Examples:
  ${spellCommand('sessions')} --state failed
  ${spellCommand('sessions')} --repo example/shop --search login
  ${spellCommand('sessions')} --json | jq -r '.[].id'`;

export const sessions: Command = {
  name: 'sessions',
  summary: 'list sessions, the newest first',
  group: 'Sessions',
  define: (parser) =>
    parser
      .addOption(
        parser
          .createOption('--state <state>', 'only those in this state')
          .choices([...STATE_WORDS.values()].toSorted()),
      )
      .option('--repo <owner/name>', 'only those of this repository')
      .option('--model <model>', 'only those of this model, such as openai:gpt-5.4')
      .option('--search <words>', 'only those with these words in their title, or this number')
      .option('--limit <count>', 'how many at most; 50 by default', count('limit', parser))
      .option('--json', 'print a JSON array, for scripts')
      .addHelpText('after', LIST_HELP),
  // The other commands start without the store.
  run: async (context) => (await import('./list-sessions.ts')).printSessions(context),
};

/** Reads a whole number; anything else is wrong usage. */
const count =
  (what: string, parser: Parser) =>
  (given: string): string => {
    const number = Number(given);
    if (Number.isInteger(number) && number >= 1 && number <= MOST) return given;
    return parser.error(`error: the ${what} must be a whole number from 1 to ${MOST}`);
  };

const MOST = 100_000;

const SHOW_HELP = `
The same words as on the session's page. Calls of tools are one line each; --full shows their arguments and results.

With --json, each line is an entry of the journal, as in the download of the page.

Exit codes: 0 shown, 1 failed, 2 wrong usage. With --follow, by how the work ended: 0 done or ready for review, 1 failed,
3 stopped or not started, 4 it waits for people.`;

export const show: Command = {
  name: 'show',
  summary: 'show what happened in a session, entry by entry',
  group: 'Sessions',
  define: (parser) =>
    parser
      .argument(...SESSION)
      .option(
        '--follow',
        'show what happens from now on too, until the work ends or waits for people',
      )
      .option('--full', 'show the arguments and results of calls')
      .option('--json', 'print the entries of the journal as lines of JSON')
      .addHelpText('after', SHOW_HELP),
  run: async (context) => (await import('./show-session.ts')).showSession(context),
};

const ASK_HELP = `
The App says so in a comment on the issue. If no service is running, this happens when one starts.

With --json: the session, its repository and issue, its state before, serviceRunning, and the outcome: "asked" (the service
does it), "already" (there is nothing to do) or "impossible" (exit code 1).`;

const asking = (name: 'stop' | 'retry', summary: string): Command => ({
  name,
  summary,
  group: 'Sessions',
  define: (parser) =>
    parser
      .argument(...SESSION)
      .option(...JSON_OPTION)
      .addHelpText('after', ASK_HELP),
  run: async (context) => (await import('./ask-session.ts')).askSession(context, name),
});

export const stop = asking('stop', 'stop a session; what it has done so far stays on its branch');
export const retry = asking('retry', 'restart a session that failed or was stopped');

const AUDIT_HELP = `
A line of JSON for each act of a person, the newest session first: at, session, repository, issue, pullRequest, login, id, did
(requested, answered, approved, stopped, closed, paused, resumed, commanded), command, and dollars: what the session cost from
then until the next line of the same session, null if no price is known. It has no words of people.

--erase deletes, for good, the sessions that are over and in which this person wrote or did something. Models read and
answered their words, so these go whole, for everyone in them. It prints a line for each, and one for each session that works
or waits; those stay until you stop them. docs/security.md says what else stays.

Exit codes: 0 done, 1 failed, or sessions are left; 2 wrong usage.

Examples:
  ${spellCommand('audit')} --since 2026-11-01 --repo example/shop
  ${spellCommand('audit')} | jq -s 'group_by(.login) | map([.[0].login, (map(.dollars) | add)])'
  ${spellCommand('audit')} --erase octocat`;

export const audit: Command = {
  name: 'audit',
  summary: 'list who requested, answered, approved and stopped what',
  group: 'Sessions',
  define: (parser) =>
    parser
      .option('--since <date>', 'only actions since then, such as 2026-11-01 (UTC)')
      .option('--repo <owner/name>', 'only in this repository')
      .option('--erase <login>', 'delete the finished sessions of this person')
      .addHelpText('after', AUDIT_HELP),
  run: async (context) => (await import('./audit-sessions.ts')).auditSessions(context),
};

const REPLAY_HELP = `
The agent's loop runs on the journal alone: the model replies what it replied, and the tools answer what they answered.
It compares each step of this version of Issuewright with the one in the journal, and sends and changes nothing.

With --model, another model is asked at each turn with the conversation as it was then, and its reply is compared with the
recorded one. Its calls do not run. You pay for its replies, and need the settings of its provider.

Exit codes: 0 the same, or models were compared; 1 it differs, or failed; 2 wrong usage.

Examples:
  ${spellCommand('replay')} example/shop#12
  ${spellCommand('replay')} abc123 --model openai:gpt-5.4-mini --from 4 --turns 3`;

export const replayCommand: Command = {
  name: 'replay',
  summary: 'run a session again from its journal, and compare',
  group: 'Sessions',
  define: (parser) =>
    parser
      .argument(...SESSION)
      .option('--model <model>', 'compare the replies of this model, such as openai:gpt-5.4')
      .option('--from <turn>', 'with --model: the turn to begin with', count('turn', parser))
      .option('--turns <count>', 'with --model: how many turns at most', count('count', parser))
      .option('--json', 'print a JSON object; with --model, a line of JSON for each turn')
      .addHelpText('after', REPLAY_HELP),
  run: async (context) => (await import('./replay-session.ts')).replaySession(context),
};
