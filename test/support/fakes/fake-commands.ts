// Commands in a directory, with nothing to prepare and nothing kept: for the tools alone.
import { TellModel } from '../../../src/lib/errors.ts';
import type { Commands, CommandSettings } from '../../../src/tools/define-tool.ts';
import { UNCHANGED } from '../../../src/workspace/command-changes.ts';
import { fakeShell } from './fake-shell.ts';

export interface FakeCommands extends Commands {
  /** What the repository says of commands; may be changed at any time. */
  settings: CommandSettings;
  /** May be set, as if a sandbox contained them. */
  contained: Commands['contained'];
  hosts: Commands['hosts'];
  programs: string;
  hasRepository: boolean;
  /** Disallowed hosts that the next commands try to reach. */
  disallowedHosts: readonly string[];
}

export function fakeCommands(directory: string): FakeCommands {
  const shell = fakeShell(directory);
  const outputs = new Map<string, string>();
  const fake: FakeCommands = {
    settings: {
      allow: undefined,
      test: undefined,
      setup: [],
      timeout: undefined,
      longest: 300,
      environment: {},
    },
    program: 'sh',
    contained: undefined,
    hosts: undefined,
    programs: '',
    hasRepository: false,
    disallowedHosts: [],
    run: async (request) => {
      let text = '';
      const onOutput = (more: string): void => {
        text += more;
        request.onOutput?.(more);
      };
      const done = await shell.run({ ...request, onOutput });
      const name = `output:${outputs.size}`;
      if (text.length > 4_000) outputs.set(name, text);
      return {
        done: { ...done, disallowedHosts: fake.disallowedHosts },
        changes: UNCHANGED,
        setup: [],
        keptAs: outputs.has(name) ? name : undefined,
      };
    },
    output: async (name) => {
      const text = outputs.get(name);
      if (text === undefined) throw new TellModel('not kept');
      return Buffer.from(text);
    },
  };
  return fake;
}
