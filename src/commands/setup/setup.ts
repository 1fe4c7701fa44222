import type { Command } from '../command.ts';

const HELP = `
It prints a link to a page on this machine, where you create the App on GitHub and install it. It writes the settings
to .env and the key to private-key.pem in this directory, readable only by you. An .env that was there is kept as .env.old.

GitHub must reach this machine. Either give its address with --url, or open a tunnel with --tunnel: a command that
prints its address, such as --tunnel 'cloudflared tunnel --url http://127.0.0.1:3000', or a channel of a proxy that
sends webhooks as events, such as --tunnel https://smee.io/CHANNEL.

For a GitHub Enterprise Server, set GHE_HOST first.`;

export const setup: Command = {
  name: 'setup',
  summary: 'create and install the GitHub App, in a browser',
  group: 'Set it up',
  define: (parser) =>
    parser
      .option(
        '--org <organization>',
        'the organization that the App belongs to; by default your account',
      )
      .option('--name <name>', 'the name of the App, which is unique on GitHub')
      .option(
        '--url <address>',
        'the public address of this machine, such as https://bot.example.com',
      )
      .option(
        '--tunnel <proxy or command>',
        'how GitHub reaches a machine without a public address',
      )
      .option('--replace', 'replace the App set up here; keeps the old files as *.old')
      .option('--manifest', 'print what setup would send to GitHub, and exit')
      .addHelpText('after', HELP),
  // The other commands start without all that this needs.
  run: async (context) => (await import('./create-app.ts')).createApp(context),
};
