import { expect, it } from '@jest/globals';
import { variableKind } from '../../src/session/settings/commands.ts';

it.each([
  ['plain', 'NODE_ENV RAILS_ENV APP_ENV LOG_LEVEL DB_HOST DB_PORT AWS_REGION TZ DEBUG PGHOST'],
  ['address', 'DATABASE_URL SENTRY_DSN REDIS_URI'],
  ['secret', 'NPM_TOKEN STRIPE_API_KEY DB_PASSWORD PGPASSWORD APP_SECRET'],
])('a variable that commands may be given is %s by its last word: %s', (kind, names) => {
  for (const name of names.split(' ')) expect([name, variableKind(name)]).toEqual([name, kind]);
});

it.each([
  [
    'of the shell',
    'PATH HOME ENV BASH_ENV SHELL IFS PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS PWD USER TMPDIR',
  ],
  [
    'of the loader',
    'LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_DEBUG DYLD_INSERT_LIBRARIES GLIBC_TUNABLES GCONV_PATH',
  ],
  [
    'of a runtime',
    'NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP PERL5OPT PERL5LIB RUBYOPT JAVA_TOOL_OPTIONS CLASSPATH GOFLAGS MAVEN_OPTS',
  ],
  [
    'of the sandbox or the network',
    'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY SSL_CERT_FILE NODE_EXTRA_CA_CERTS RES_OPTIONS HOSTALIASES SANDBOX_MODE',
  ],
  ['of git', 'GIT_DIR GIT_CONFIG_COUNT GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_AUTHOR_NAME'],
  ['of editors and pagers', 'EDITOR VISUAL PAGER GIT_PAGER LESSOPEN MANPAGER'],
  [
    'that no shell can have',
    'a-b _TOKEN TOKEN_ A__B_TOKEN npm_token NPM_TOKEN= BASH_FUNC_x%% __proto__ constructor 1_TOKEN \u0391_TOKEN',
  ],
  ['that is too long', `${'A'.repeat(60)}_TOKEN`],
])('a variable %s is for no command: %s', (_what, names) => {
  for (const name of names.split(' '))
    expect([name, variableKind(name)]).toEqual([name, undefined]);
});
