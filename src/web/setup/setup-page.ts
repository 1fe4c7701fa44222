import { createHash } from 'node:crypto';
import { html, trusted, type Html } from '../../lib/text/html.ts';
import { inlineMarkdown } from '../pages/markdown.ts';
import { STYLE } from '../pages/style.ts';

/** Where the set-up is. */
export type SetupView =
  | { readonly step: 'address'; readonly fault?: string; readonly given?: string }
  | {
      readonly step: 'create';
      /** The page of GitHub that takes the manifest, with the state in it. */
      readonly action: string;
      readonly manifest: string;
      readonly webhookUrl: string;
    }
  | { readonly step: 'failed'; readonly why: string }
  | {
      readonly step: 'install';
      /** The App's name in addresses and mentions. */
      readonly slug: string;
      readonly install: string;
      /** The accounts that have installed it. */
      readonly owners: readonly string[];
      readonly isReached: boolean;
      readonly webhookUrl: string;
      /** What is left to do in a terminal. */
      readonly next: readonly string[];
    };

/** Loads the page again when something has changed: not one that has a form, or that is the last. */
export const SETUP_SCRIPT = `
const { state: seen } = document.querySelector('main').dataset;
const look = async () => {
  if (document.querySelector('form, [data-done]')) return;
  try {
    const { state } = await (await fetch('/setup/state')).json();
    // Once: the page that a second one would ask for may be gone with its server.
    if (state !== seen) return location.reload();
  } catch {}
  setTimeout(look, 1000);
};
setTimeout(look, 1000);
`;

/** Changes whenever the page does. */
export const pageDigest = (view: SetupView): string =>
  createHash('sha256').update(JSON.stringify(view)).digest('hex');

export const setupPage = (view: SetupView): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <title>Set up · Issuewright</title>
        ${trusted(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <header class="top">Issuewright</header>
        <main data-state="${pageDigest(view)}">${contentOf(view)}</main>
        ${trusted(`<script>${SETUP_SCRIPT}</script>`)}
      </body>
    </html> `;

function contentOf(view: SetupView): Html {
  switch (view.step) {
    case 'address':
      return addressStep(view);
    case 'create':
      return createStep(view);
    case 'failed':
      return html`<h1 data-done>The App was not set up</h1>
        <p role="alert">${view.why}</p>
        <p><a href="/setup">Try again</a></p>`;
    case 'install':
      return installStep(view);
    default:
      return view satisfies never;
  }
}

const addressStep = ({ fault, given = '' }: Extract<SetupView, { step: 'address' }>): Html =>
  html`<h1>Where can GitHub reach this machine?</h1>
    <p>
      GitHub sends a webhook for each event, so it needs an address on the internet that leads here:
      a reverse proxy with TLS, or a tunnel. <code>--tunnel</code> opens one.
    </p>
    ${fault === undefined ? '' : html`<p role="alert"><strong>${fault}</strong></p>`}
    <form method="post" action="/setup/address">
      <p>
        <label for="address">Address</label>
        <input
          id="address"
          name="address"
          type="url"
          required
          size="40"
          placeholder="https://bot.example.com"
          value="${given}"
        />
        <button class="button" type="submit">Continue</button>
      </p>
    </form>`;

const createStep = (view: Extract<SetupView, { step: 'create' }>): Html =>
  html`<h1>Create the GitHub App</h1>
    <p>
      GitHub shows what the App will be called and creates it. Its webhooks will go to
      <code>${view.webhookUrl}</code>.
    </p>
    <form method="post" action="${view.action}">
      <input type="hidden" name="manifest" value="${view.manifest}" />
      <p><button class="button" type="submit">Create the App on GitHub</button></p>
    </form>`;

const installStep = (view: Extract<SetupView, { step: 'install' }>): Html =>
  html`<h1>${isAppSetUp(view) ? 'GitHub reaches me' : `Install ${view.slug}`}</h1>
    <ul>
      <li>
        The App <strong>${view.slug}</strong> is created. Its key and settings are in files that
        only you can read.
      </li>
      <li>
        ${
          view.owners.length > 0
            ? html`Installed on ${view.owners.join(', ')}.`
            : html`<a href="${view.install}" target="_blank" rel="noopener"
                  >Install it on your repositories</a
                >. This page waits for that.`
        }
      </li>
      <li>
        <span role="status"
          >${
            view.isReached
              ? 'GitHub reaches me: its first webhook has arrived.'
              : html`Waiting for the first webhook at <code>${view.webhookUrl}</code>…`
          }</span
        >
      </li>
    </ul>
    ${
      isAppSetUp(view)
        ? html`<h2 data-done>What is left</h2>
            <ol>
              ${view.next.map((step) => html`<li>${inlineMarkdown(step)}</li>`)}
            </ol>`
        : ''
    }`;

/** The App is installed, and GitHub reaches this machine. */
export const isAppSetUp = ({
  owners,
  isReached,
}: Extract<SetupView, { step: 'install' }>): boolean => owners.length > 0 && isReached;
