import type { CommandRun, Effect } from '../../contracts/effect.ts';
import { exitWords } from '../../session/texts/runs.ts';
import { duration } from '../../session/texts/format.ts';
import type { CommandReport, Dependencies, SetupRun } from '../define-tool.ts';
import type { CommandChanges, CommandDone, FilesLeftOut } from '../../contracts/shell.ts';
import { lastPart, wholeText } from './plain-output.ts';
import { readFileTool } from '../files/read-file.ts';
import { namedPaths } from '../git/changed-files.ts';
import { quotedPath } from '../../lib/text/invisible.ts';

const MOST_SETUP = 2_000;
const MAX_HOSTS = 20;
const MAX_NAMED = 10;

export const ran = (command: string, { exitCode, ended, durationMs }: CommandDone): CommandRun => ({
  command,
  exitCode,
  ended,
  durationMs,
});

/** The effects of a command beyond files, including `own`, in order. */
export const effectsOfCommand = (
  { done, setup, dependencies }: CommandReport,
  own: Effect,
): readonly Effect[] => [
  ...(dependencies === undefined ? [] : [dependencies.use]),
  ...setup.flatMap((run): Effect[] => [setupEffect(run), ...disallowedHostsOf(run.done)]),
  own,
  ...disallowedHostsOf(done),
];

const setupEffect = ({ command, done }: SetupRun): Effect => ({
  type: 'setup',
  ...ran(command, done),
  output: lastPart(wholeText(done.output).trim(), MOST_SETUP),
});

const disallowedHostsOf = ({ disallowedHosts: hosts }: CommandDone): Effect[] =>
  hosts.length === 0 ? [] : [{ type: 'disallowed_hosts', hosts: hosts.slice(0, MAX_HOSTS) }];

/** "Exit code 1 after 2.3 s." */
export function exitLine(done: CommandDone): string {
  const outcome = exitWords(done);
  return `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}, after ${duration(done.durationMs)}.`;
}

/** That a killed command may have more time, if it may. In seconds. */
export const timeoutRemark = ({ ended }: CommandDone, had: number, most: number): string[] =>
  ended === 'timeout' && had < most ? [`The argument timeout goes up to ${most}.`] : [];

/** Where the whole output is, if the run has the tool for it. */
export const keptRemark = ({ keptAs }: CommandReport, tools: ReadonlySet<string>): string[] =>
  keptAs === undefined || !tools.has(readFileTool.name)
    ? []
    : [`(The whole output: ${readFileTool.name} with the path ${keptAs})`];

/** What the model needs to know besides the output. */
export function remarks({ done, changes, setup, dependencies }: CommandReport): string[] {
  const failed = setup.filter((run) => run.done.exitCode !== 0);
  const all = [...setup.map((run) => run.done), done];
  const notPublic = [...new Set(all.flatMap(({ notPublicHosts = [] }) => notPublicHosts))];
  const disallowed = [...new Set(all.flatMap(({ disallowedHosts }) => disallowedHosts))];
  return [
    ...(dependencies === undefined ? [] : dependencyRemarks(dependencies)),
    ...failed.map(setupFailure),
    ...setup.flatMap((run) =>
      changeRemarks(`The setup command ${JSON.stringify(run.command)}`, run.changes),
    ),
    ...changeRemarks('It', changes),
    ...(disallowed.length === 0 ? [] : [networkRemark(disallowed)]),
    ...(notPublic.length === 0 ? [] : [notPublicRemark(notPublic)]),
  ];
}

const dependencyRemarks = ({ use: { cache, paths, isAll }, changes }: Dependencies): string[] =>
  cache === 'unused'
    ? []
    : [
        `${paths.join(', ')} ${paths.length === 1 ? 'is' : 'are'} there as the repository's setup commands made ${paths.length === 1 ? 'it' : 'them'} for the same lock files${isAll ? ', so they did not run again' : ''}.`,
        ...changeRemarks('What they had installed', changes),
      ];

const setupFailure = ({ command, done }: SetupRun): string =>
  `The repository's setup command ${JSON.stringify(command)} ran first and failed (${exitWords(done)}). It is not retried until a lock file changes. The end of its output:\n${lastPart(wholeText(done.output).trim(), MOST_SETUP)}`;

const networkRemark = (hosts: readonly string[]): string =>
  `The command tried to reach ${hosts.slice(0, MAX_HOSTS).join(', ')}, which the operator does not allow. Work without it, or say in your summary that you need it.`;

const notPublicRemark = (hosts: readonly string[]): string =>
  `The command tried to reach ${hosts.slice(0, MAX_HOSTS).join(', ')}, which the operator allows, but not at an address that is not public. Work without it, or say in your summary that you need it.`;

function changeRemarks(
  who: string,
  { changed, made = [], reverted, leftOut, uncommitted, excess }: CommandChanges,
): string[] {
  if (excess !== undefined)
    return [
      `${who} changed ${excess}, so all its changes were undone. Write to /tmp or to an ignored path instead.`,
    ];
  return [
    ...remarkOn(
      changed.filter((path) => !made.includes(path)),
      (some) => `${who} changed ${some}.`,
    ),
    ...(made.length === 0 ? [] : [madeRemark(who, made)]),
    ...remarkOn(
      reverted,
      (some) => `${who} changed ${some}, which may not be written. Those changes were undone.`,
    ),
    ...leftOutRemarks(who, leftOut),
    ...(uncommitted === undefined ? [] : [uncommitted]),
  ];
}

const madeRemark = (who: string, made: readonly string[]): string =>
  `${who} made ${namedPaths(made)}. Commits leave it out, unless \`files\` of commit names it, or its directory.`;

const leftOutRemarks = (who: string, left: FilesLeftOut): string[] => [
  ...remarkOn(
    left.bySetup,
    (some) => `${who} changed ${some}. No commit includes that, unless you change it again.`,
  ),
  ...remarkOn(
    left.bySetup.filter((path) => path.split('/').at(-1) === '.gitignore'),
    (some) =>
      `So it changed what git ignores, by ${some}. Commits follow the rules as they are now: whatever makes a file later, they leave it out if it is ignored now, and include it if it is not. If that is wrong, change these rules yourself.`,
  ),
  ...remarkOn(
    left.protectedBySetup,
    (some) => `${who} changed ${some}, which may not be written. No commit includes that.`,
  ),
  ...remarkOn(
    left.links,
    (some) =>
      `No commit includes ${some}: a symbolic link that leads out of the repository is not committed.`,
  ),
  ...remarkOn(
    left.names,
    (some) => `No commit includes ${some}: the name is not UTF-8. Rename what is to be committed.`,
  ),
  ...remarkOn(
    left.special,
    (some) => `No commit includes ${some}: it is a pipe, a socket or a device.`,
  ),
  ...remarkOn(
    left.submodules,
    (some) =>
      `No commit includes ${some}: a submodule is another repository, and its files cannot be changed here.`,
  ),
  ...remarkOn(left.gitNames, (some) => `No commit includes ${some}: the name is git's own.`),
  ...remarkOn(
    left.uncovered,
    (some) =>
      `${who} uncovered ${some}, which commits could not include until now. They still do not: to commit it, write or rename it, or run the command that makes it again.`,
  ),
  ...(left.repositories.length === 0
    ? []
    : [
        `${who} made a git repository in ${left.repositories.slice(0, MAX_NAMED).map(quotedPath).join(', ')}. No commit includes what is there: delete the repository's own files if it is to be committed.`,
      ]),
];

const remarkOn = (paths: readonly string[], say: (named: string) => string): string[] =>
  paths.length === 0 ? [] : [say(named(paths))];

function named(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_NAMED).map((path) => quotedPath(path.slice(0, 200)));
  const more = paths.length - shown.length;
  return `${paths.length === 1 ? 'the file' : `${paths.length} files:`} ${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
