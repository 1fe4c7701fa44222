// Settings of git that name a program, a path or an identity, as the author of a folder could write them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeGit } from '../../../support/git-server.ts';
import type { Form, HostileFolder } from './hostile-folder.ts';

export interface Threat {
  readonly name: string;
  readonly plant: (folder: HostileFolder) => void;
  /** What a person is told if no work is possible; it is done if omitted. */
  readonly refused?: RegExp;
  /** Only in folders of these forms, if not in all. */
  readonly forms?: readonly Form[];
  /** Where the work begins, below the work tree. */
  readonly at?: string;
  /** Whether only root can plant it. */
  readonly needsRoot?: boolean;
}

/** Git's hooks. */
const HOOKS =
  'applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change post-merge ' +
  'post-receive post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase ' +
  'pre-receive prepare-commit-msg proc-receive push-to-checkout reference-transaction sendemail-validate update';

/** Settings of a program, each with others that make git run it. */
const PROGRAMS: readonly (readonly [key: string, ...others: [key: string, value: string][]])[] = [
  ['filter.x.clean'],
  ['filter.x.smudge', ['receive.denyCurrentBranch', 'updateInstead']],
  ['filter.x.process', ['filter.x.required', 'true']],
  ['core.fsmonitor'],
  ['core.sshCommand', ['remote.origin.url', 'ssh://localhost/x'], ...partial('origin')],
  ['core.gitProxy', ['remote.origin.url', 'git://localhost/x'], ...partial('origin')],
  ['core.editor'],
  ['core.pager', ['pager.diff-tree', 'true'], ['pager.rev-list', 'true']],
  ['core.askPass'],
  ['core.alternateRefsCommand'],
  ['sequence.editor'],
  ['diff.external'],
  ['diff.x.textconv', ['diff.x.cachetextconv', 'true']],
  ['diff.x.command'],
  ['merge.x.driver', ['merge.default', 'x']],
  ['mergetool.x.cmd', ['merge.tool', 'x']],
  ['difftool.x.cmd', ['diff.tool', 'x']],
  [
    'gpg.program',
    ['commit.gpgSign', 'true'],
    ['log.showSignature', 'true'],
    ['push.gpgSign', 'true'],
  ],
  ['gpg.ssh.program', ['gpg.format', 'ssh'], ['commit.gpgSign', 'true']],
  ['gpg.ssh.defaultKeyCommand', ['gpg.format', 'ssh'], ['commit.gpgSign', 'true']],
  ['credential.helper', ['remote.origin.url', 'https://localhost:1/x'], ...partial('origin')],
  ['uploadpack.packObjectsHook'],
  ['remote.origin.uploadpack', ['remote.origin.url', '/'], ...partial('origin')],
  ['remote.origin.receivepack', ['remote.origin.url', '/']],
  ['pager.diff-files', ['core.pager', 'cat']],
  ['interactive.diffFilter'],
  ['tar.x.command'],
  ['browser.x.cmd', ['web.browser', 'x']],
  ['man.x.cmd'],
  ['imap.tunnel'],
  ['guitool.x.cmd'],
  ['trailer.x.command', ['trailer.x.key', 'By']],
  ['trailer.x.cmd', ['trailer.x.key', 'By']],
  ['sendemail.sendmailCmd'],
  ['sendemail.smtpServer'],
  ['sendemail.toCmd'],
  ['instaweb.httpd'],
  ['submodule.folder.update', ['submodule.recurse', 'true']],
  ['hook.x.command', ['hook.x.event', 'reference-transaction'], ['hook.x.enabled', 'true']],
  ['hook.y.command', ['hook.y.event', 'pre-receive'], ['hook.y.enabled', 'true']],
];

/** What makes git ask a server for an object that is missing. */
function partial(remote: string): [key: string, value: string][] {
  return [
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', remote],
    [`remote.${remote}.promisor`, 'true'],
  ];
}

/** Settings whose value begins with `!` or `ext::`, and then names a program. */
const COMMANDS: readonly (readonly [key: string, value: (program: string) => string])[] = [
  ...[
    'version',
    'diff-files',
    'diff-index',
    'ls-files',
    'rev-parse',
    'upload-pack',
    'receive-pack',
  ].map((name) => [`alias.${name}`, (program: string) => `!${program}`] as const),
  ['remote.origin.url', (program) => `ext::${program}`],
  ['remote.origin.vcs', (program) => `../../../../../..${program}`],
  ['url.ext::/bin/sh.insteadOf', () => 'http'],
  ['user.name', (program) => `$(${program})\n; ${program} #`],
  ['user.email', (program) => `x>\n${program}\n`],
  ['committer.name', (program) => `\`${program}\``],
];

/** Settings of a path, with what they are to name. */
const PATHS: readonly (readonly [key: string, path: string])[] = [
  ['core.worktree', ''],
  ['core.attributesFile', 'attributes'],
  ['core.excludesFile', 'pipe'],
  ['init.templateDir', 'hooks'],
  ['mailmap.file', 'pipe'],
  ['fsck.skipList', 'pipe'],
  ['receive.fsck.skipList', 'pipe'],
  ['fetch.fsck.skipList', 'pipe'],
  ['diff.orderFile', 'pipe'],
  ['commit.template', 'pipe'],
  ['blame.ignoreRevsFile', 'pipe'],
  ['http.cookieFile', 'cookies'],
  ['http.sslCAInfo', 'pipe'],
  ['trace2.eventTarget', 'trace'],
  ['trace2.normalTarget', 'trace'],
  ['format.signatureFile', 'pipe'],
  ['credential.https://localhost.helper', 'hooks/credential'],
  ['gpg.ssh.allowedSignersFile', 'pipe'],
  ['core.notesRef', 'pipe'],
];

const set = ({ common }: HostileFolder, key: string, value: string): void =>
  void nativeGit('/', 'config', '--file', join(common, 'config'), key, value);

export function makePipe(path: string): void {
  if (!existsSync(path)) execFileSync('mkfifo', ['-m', '666', path]);
}

/** Hooks that leave their names. */
export function plantHooks(folder: HostileFolder, directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const hook of HOOKS.split(' ')) {
    const program = folder.program(hook);
    writeFileSync(join(directory, hook), `#!/bin/sh\nexec '${program}'\n`, { mode: 0o755 });
  }
}

/** Settings in a file of their own, for others to include. */
function writeHostileFile(folder: HostileFolder, path: string): void {
  const program = folder.program('included');
  writeFileSync(path, '');
  for (const key of ['filter.x.clean', 'filter.x.smudge', 'core.fsmonitor', 'diff.external'])
    nativeGit('/', 'config', '--file', path, key, program);
}

const INCLUDES = ['include.path', 'includeIf.gitdir:/**.path', 'includeIf.onbranch:**.path'];

export const SETTINGS: readonly Threat[] = [
  ...PROGRAMS.map(([key, ...others]): Threat => ({
    name: key,
    plant: (folder) => {
      const program = folder.program(key);
      set(folder, key, key.endsWith('.update') ? `!${program}` : program);
      for (const [other, value] of others) set(folder, other, value);
    },
  })),
  ...COMMANDS.map(([key, value]): Threat => ({
    name: key,
    plant: (folder) => {
      set(folder, key, value(folder.program(key.replaceAll('/', '_'))));
      set(folder, 'protocol.ext.allow', 'always');
      set(folder, 'protocol.allow', 'always');
      set(folder, 'core.logAllRefUpdates', 'always');
      if (key.startsWith('remote.'))
        for (const [other, of] of partial('origin')) set(folder, other, of);
    },
  })),
  ...PATHS.map(([key, path]): Threat => ({
    name: key,
    plant: (folder) => {
      makePipe(join(folder.outside, 'pipe'));
      writeFileSync(join(folder.outside, 'attributes'), '* filter=y\n');
      set(folder, 'filter.y.clean', folder.program('filter.y.clean'));
      plantHooks(folder, join(folder.outside, 'hooks'));
      set(folder, key, join(folder.outside, path));
      set(folder, 'http.saveCookies', 'true');
      set(folder, 'receive.fsckObjects', 'true');
    },
    // That of a submodule is needed to know that it belongs to the folder.
    ...(key === 'core.worktree' ? { forms: ['archive', 'worktree', 'alternates'] } : {}),
  })),
  ...INCLUDES.map((key): Threat => ({
    name: key,
    plant: (folder) => {
      const path = join(folder.outside, 'settings');
      writeHostileFile(folder, path);
      set(folder, key, path);
    },
  })),
  {
    name: 'core.hooksPath',
    plant: (folder) => {
      plantHooks(folder, join(folder.outside, 'hooks'));
      set(folder, 'core.hooksPath', join(folder.outside, 'hooks'));
      set(folder, 'receive.procReceiveRefs', 'refs');
    },
  },
  {
    name: 'hooks of the repository',
    plant: (folder) => {
      plantHooks(folder, join(folder.common, 'hooks'));
      set(folder, 'receive.procReceiveRefs', 'refs');
    },
  },
  {
    name: 'config.worktree',
    plant: (folder) => {
      set(folder, 'extensions.worktreeConfig', 'true');
      for (const directory of new Set([folder.common, folder.gitdir]))
        writeHostileFile(folder, join(directory, 'config.worktree'));
    },
  },
];
