/** Below these anyone can have a host. */
const SHARED = new Set(
  `amazonaws.com appspot.com azurewebsites.net blogspot.com cloudfront.net deno.dev firebaseapp.com fly.dev
  github.io githubusercontent.com gitlab.io glitch.me herokuapp.com netlify.app ngrok.io ngrok-free.app onrender.com
  pages.dev railway.app readthedocs.io s3.amazonaws.com surge.sh trycloudflare.com vercel.app web.app workers.dev
  wordpress.com`.split(/\s+/),
);
/** Such as `co.uk`. */
const SECOND_LEVEL = /^(?:ac|co|com|edu|go|gob|gov|gv|ne|net|nom|or|org)\.[a-z]{2}$/;

/** Whether `*.` stands before a name below which anyone can have a host, such as `*.com`. */
export function isPublicWildcard(item: string): boolean {
  if (!item.startsWith('*.')) return false;
  const name = item.slice(2).toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  return !name.includes('.') || SHARED.has(name) || SECOND_LEVEL.test(name);
}

export const PUBLIC_WILDCARD =
  'has a `*.` before a name below which anyone can have a host, such as `*.com`: name the hosts that you mean';
