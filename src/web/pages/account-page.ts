// Who is signed in, how to sign in, and why one may not see something.
import { html, type Html } from '../../lib/text/html.ts';
import type { Viewer } from '../session-source.ts';
import { notice } from '../page-answers.ts';

/** `back`: where the sign-in leads to in the end. */
export const signInPage = (back: string): Html =>
  notice(
    'Sign in to see sessions',
    html`<p>
        Session pages show private content of repositories. You see the sessions of the repositories
        on GitHub that you have access to. For that, GitHub tells this service who you are and which
        these are. Buttons post comments on GitHub as you.
      </p>
      <p>
        <a class="button" href="/sign-in?${new URLSearchParams({ back }).toString()}"
          >Sign in with GitHub</a
        >
      </p>`,
    'Not signed in',
  );

export const accountPage = ({ login, ...scope }: Viewer, hasSignIn: boolean): Html =>
  notice(
    'Account',
    html`<p>${whoseText(login)}</p>
      <p>${scopeText(scope)}</p>
      ${
        hasSignIn &&
        login === undefined &&
        html`<p>
            Buttons post comments on GitHub as you, so sign in first. Signing in takes the place of
            the operator's link in this browser.
          </p>
          <p><a class="button" href="/sign-in">Sign in with GitHub</a></p>`
      }
      <form method="post" action="/sign-out"><button class="button">Sign out</button></form>`,
  );

const whoseText = (login: string | undefined): Html =>
  login === undefined
    ? html`This browser has opened the operator's link.`
    : html`You are signed in with GitHub as <strong>${login}</strong>.`;

function scopeText({ seesAll, repositories }: Omit<Viewer, 'login'>): string {
  if (seesAll) return 'You see all sessions.';
  const { size } = repositories;
  if (size === 0)
    return 'GitHub says that you have access to no repository in which the App is installed, so you see no sessions. Ask an owner of the repository for access.';
  const which = size === 1 ? 'the one repository' : `the ${size} repositories`;
  return `You see the sessions of ${which} with the App that you have access to. GitHub is asked again every few minutes.`;
}

/** Pages that say why there is nothing else. */
export const NOTICES = {
  invalid: notice(
    'The sign-in did not work',
    html`<p>
        GitHub's answer does not belong to a sign-in that was begun in this browser within the last
        ten minutes, or it was used already.
      </p>
      <p><a class="button" href="/sign-in">Sign in again</a></p>`,
  ),
  cancelled: notice(
    'You are not signed in',
    html`<p>The sign-in was cancelled on GitHub.</p>
      <p><a class="button" href="/sign-in">Sign in with GitHub</a></p>`,
  ),
  away: notice(
    'GitHub does not answer',
    html`<p>
      Only GitHub knows what you may see, and it cannot be asked now. So nothing is shown. Load this
      page again in a minute.
    </p>`,
  ),
  denied: notice(
    'GitHub does not say what you may see',
    html`<p>
        Only GitHub knows that, and it denied the question. So nothing is shown. Your account may be
        suspended there, or an organization may not allow the App.
      </p>
      <p><a class="button" href="/sign-in">Sign in again</a></p>`,
  ),
  tooMany: notice(
    'Too many requests',
    html`<p>
      Too many pages were asked for in a short time. Wait a minute, then load this again.
    </p>`,
  ),
  foreign: notice(
    'Nothing was done',
    html`<p>
      This form was not sent by these pages, so it was ignored. Go to the
      <a href="/account">account page</a> and try again there.
    </p>`,
  ),
} as const;
