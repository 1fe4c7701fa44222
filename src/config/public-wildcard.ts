/** Below these anyone can have a host. The better-known ones: nobody can list them all. */
const SHARED = new Set(
  `000webhostapp.com amplifyapp.com appspot.com awsapprunner.com azure-api.net azurestaticapps.net azurewebsites.net
  b-cdn.net backblazeb2.com blogspot.com cloudapp.net cloudflarestorage.com cloudfront.net cloudfunctions.net codesandbox.io
  csb.app ddns.net deno.dev deno.net dreamhosters.com duckdns.org dyndns.org edgecompute.app elasticbeanstalk.com
  firebaseapp.com fly.dev framer.app framer.website github.dev github.io githubpreview.dev githubusercontent.com gitlab.io
  gitpod.io glitch.me herokuapp.com hf.space loca.lt localhost.run lovable.app medium.com myshopify.com neocities.org netlify.app
  ngrok.app ngrok.dev ngrok.io ngrok-free.app ngrok-free.dev no-ip.org notion.site oast.fun oast.pro onrender.com pages.dev
  pythonanywhere.com r2.dev railway.app readthedocs.io repl.co replit.app replit.dev run.app serveo.net sharepoint.com
  sourceforge.io squarespace.com stackblitz.io streamlit.app substack.com supabase.co surge.sh trafficmanager.net
  trycloudflare.com tumblr.com up.railway.app vercel.app web.app webcontainer.io webflow.io weebly.com wixsite.com
  wordpress.com workers.dev zapto.org`.split(/\s+/),
);
/** These have such names on several levels, by region. */
const SHARED_BELOW =
  /(?:^|\.)(?:amazonaws\.com|azure\.com|digitaloceanspaces\.com|googleapis\.com|on\.aws|run\.app|windows\.net)$/;
/** Such as `co.uk`. */
const SECOND_LEVEL = /^(?:ac|co|com|edu|go|gob|gov|gv|ne|net|nom|or|org)\.[a-z]{2}$/;

/** Whether `*.` stands before a name below which anyone can have a host, such as `*.com`. */
export function isPublicWildcard(item: string): boolean {
  if (!item.startsWith('*.')) return false;
  const name = item.slice(2).toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  if (!name.includes('.') || /(?:^|\.)\d+$/.test(name)) return true;
  return SHARED.has(name) || SHARED_BELOW.test(name) || SECOND_LEVEL.test(name);
}

export const PUBLIC_WILDCARD =
  'has a `*.` before a name below which anyone can have a host, such as `*.com`: name the hosts that you mean';
