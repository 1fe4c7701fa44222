import { OPTIONAL_PERMISSIONS, PERMISSIONS } from '../../github/access/permissions.ts';
import type { InstallationFacts } from '../../github/access/installations.ts';
import type { GrantedPermissions } from '../../github/set-up/app-set-up.ts';
import { eventsFor, readAppManifest } from '../app-manifest.ts';
import {
  fault,
  NotExamined,
  ok,
  warning,
  type DoctorCheck,
  type DoctorFinding,
} from './examination.ts';
import { spellCommand } from '../../lib/program-name.ts';

const TIMEOUT_MS = 10_000;
/** GitHub accepts what an App signs with a clock that is off by a minute at most. */
const MOST_SKEW_S = 60;
const ODD_SKEW_S = 20;

const clock: DoctorCheck = {
  name: 'clock',
  cure: 'Check the network, HTTPS_PROXY and GHE_HOST',
  look: async ({ github }) => {
    const asked = Date.now();
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { headers } = await fetch(github.url, { method: 'HEAD', redirect: 'manual', signal });
    const date = Date.parse(headers.get('date') ?? '');
    const now = (asked + Date.now()) / 2;
    if (Number.isNaN(date)) throw new NotExamined("GitHub's answer has no date");
    const seconds = Math.round((now - date) / 1000);
    const words = `The clock of this machine is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} GitHub's`;
    const cure = 'Set the clock and keep it in sync: `timedatectl set-ntp true`.';
    if (Math.abs(seconds) >= MOST_SKEW_S) return fault(`${words}: GitHub rejects the App.`, cure);
    if (Math.abs(seconds) >= ODD_SKEW_S) return warning(`${words}.`, cure);
    return ok("The clock agrees with GitHub's.");
  },
};

const app: DoctorCheck = {
  name: 'app',
  cure: `Correct APP_ID, the private key and GHE_HOST; \`${spellCommand('setup')}\` creates a new App`,
  look: async ({ github }) => {
    await github.identity();
    const { login, settings } = await github.setUp.app();
    return ok(`GitHub accepts the key of ${login} (${settings}).`);
  },
};

/** `issues: write`, or nothing if it is granted. */
const lacking = (wanted: GrantedPermissions, granted: GrantedPermissions): readonly string[] =>
  Object.entries(wanted)
    .filter(([name, level]) => granted[name] !== level && granted[name] !== 'write')
    .map(([name, level]) => `${name}: ${level}`);

const permissions: DoctorCheck = {
  name: 'permissions',
  cure: 'If GitHub is down, try again later',
  look: async (examination) => {
    const { permissions: asked, settings } = await examination.app();
    const missing = lacking(PERMISSIONS, asked);
    if (missing.length > 0)
      return fault(
        `The App does not ask for ${missing.join(', ')}.`,
        `Add this at ${settings}/permissions. Then an owner of each account approves it.`,
      );
    const installations = await examination.installations();
    const waiting = installations.flatMap((one) => awaited(one, asked));
    if (waiting.length > 0) return waiting;
    const left = lacking(OPTIONAL_PERMISSIONS, asked);
    const without = left.length === 0 ? '' : `; left out: ${left.join(', ')} (docs/permissions.md)`;
    return ok(`All permissions that the App asks for are granted${without}.`);
  },
};

/** What an owner has not approved yet. */
function awaited(
  installation: InstallationFacts,
  asked: GrantedPermissions,
): readonly DoctorFinding[] {
  const { owner, settings } = installation;
  const missing = lacking(asked, installation.permissions);
  if (missing.length === 0) return [];
  const isRequired = lacking(PERMISSIONS, installation.permissions).length > 0;
  const text = `${owner} has not approved ${missing.join(', ')}.`;
  return [(isRequired ? fault : warning)(text, `An owner of ${owner} approves it at ${settings}.`)];
}

const events: DoctorCheck = {
  name: 'events',
  cure: 'If GitHub is down, try again later',
  look: async (examination) => {
    const manifest = readAppManifest();
    const { events: subscribed, permissions: asked, settings } = await examination.app();
    const missing = eventsFor(manifest, asked).filter((one) => !subscribed.includes(one));
    if (missing.length > 0)
      return fault(
        `The App does not subscribe to ${missing.join(', ')}.`,
        `Subscribe to these events at ${settings}/permissions.`,
      );
    const unsubscribed = (await examination.installations()).flatMap((one) => {
      const lacks = eventsFor(manifest, one.permissions).filter(
        (name) => !one.events.includes(name),
      );
      return lacks.length === 0
        ? []
        : [
            fault(
              `GitHub does not send ${lacks.join(', ')} for the installation on ${one.owner}.`,
              `An owner of ${one.owner} approves the pending request at ${one.settings}. If there is none, remove these events at ${settings}/permissions, save, and add them again.`,
            ),
          ];
    });
    if (unsubscribed.length > 0) return unsubscribed;
    return ok('The App and its installations subscribe to every event that Issuewright uses.');
  },
};

const installations: DoctorCheck = {
  name: 'installations',
  cure: 'If GitHub is down, try again later',
  look: async (examination) => {
    const { install } = await examination.app();
    const { allowedOwners } = examination.config.github;
    const found = await examination.installations();
    const owners = new Set(found.map(({ owner }) => owner.toLowerCase()));
    const absent = allowedOwners.filter((owner) => owner !== '*' && !owners.has(owner));
    const faults = [
      ...absent.map((owner) =>
        fault(`The App is not installed on ${owner}.`, `Install it at ${install}.`),
      ),
      ...(found.length === 0 && absent.length === 0
        ? [fault('The App is not installed on any account.', `Install it at ${install}.`)]
        : []),
      ...found
        .filter(({ isSuspended }) => isSuspended)
        .map(({ owner, settings }) =>
          fault(
            `The installation on ${owner} is suspended.`,
            `An owner can unsuspend it at ${settings}.`,
          ),
        ),
    ];
    if (faults.length > 0) return faults;
    const repositories = await examination.repositories();
    const names = repositories.map(({ repository: { owner, name } }) => `${owner}/${name}`);
    const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
    return ok(`The App is installed on ${names.slice(0, 3).join(', ')}${more}.`);
  },
};

const signIn: DoctorCheck = {
  name: 'sign-in',
  cure: 'If GitHub is down, try again later',
  look: async (examination) => {
    const { github, config } = examination;
    const { signIn: client } = config;
    if (client === undefined)
      return ok('Only the printed link opens the session pages, because CLIENT_ID is not set.');
    const why = await github.userAuthorization(client).refusal();
    if (why === undefined) return ok('GitHub accepts the client secret for signing in.');
    const { settings } = await examination.app();
    return fault(
      `GitHub does not accept CLIENT_ID and CLIENT_SECRET (${why}).`,
      `Copy the client ID from ${settings}, and generate a new client secret there.`,
    );
  },
};

export const APP_CHECKS: readonly DoctorCheck[] = [
  clock,
  app,
  permissions,
  events,
  installations,
  signIn,
];
