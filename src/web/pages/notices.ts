// Pages that only say why there is nothing else to see.
import { html, type Html } from '../../lib/text/html.ts';
import { page } from './layout.ts';

export const notice = (title: string, content: Html, tab = title): Html =>
  page({
    title: tab,
    live: false,
    content: html`<section class="notice">
      <h1>${title}</h1>
      ${content}
    </section>`,
  });

const LIST = html`<a href="/sessions">All sessions</a>`;

export const notSignedIn = (): Html =>
  notice(
    'Open the link that Issuewright printed first',
    html`<p>
        Session pages show private content of your repositories. Issuewright prints a link with a
        token when it starts. Open that link once in this browser, then come back to this page.
      </p>
      <p>Ask the operator of this service for the link if you do not have it.</p>`,
    'Not signed in',
  );

export const unknownSession = (): Html =>
  notice(
    'Session not found',
    html`<p>
        This service has no session with this ID, or you may not see it. People who sign in with
        GitHub see the sessions of repositories that they have access to there.
      </p>
      <p>${LIST} · <a href="/account">Your account</a></p>`,
  );

/** What an HTTP status says by itself. */
export const mistake = (status: number, message: string): Html =>
  status === 404
    ? notice('Page not found', html`<p>No page has this address. ${LIST}</p>`)
    : notice(`Error ${status}`, html`<p>${message} ${LIST}</p>`);
