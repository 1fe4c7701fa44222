// What the App asks for, as app.yml says it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

const Manifest = z.object({
  name: z.string(),
  description: z.string(),
  url: z.string(),
  public: z.boolean(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
});

export type AppManifest = z.output<typeof Manifest>;

const FILE = fileURLToPath(new URL('../../app.yml', import.meta.url));

export const readAppManifest = (): AppManifest => Manifest.parse(parse(readFileSync(FILE, 'utf8')));

/** Events that come with an optional permission: without it, an App cannot subscribe to them. */
const OPTIONAL_EVENTS = new Map([
  ['check_run', 'checks'],
  ['check_suite', 'checks'],
  ['status', 'statuses'],
]);

/** The events that an App with these permissions should be subscribed to. */
export const eventsFor = (
  { default_events: events }: AppManifest,
  permissions: Readonly<Record<string, string>>,
): readonly string[] =>
  events.filter((event) => {
    const permission = OPTIONAL_EVENTS.get(event);
    return permission === undefined || permissions[permission] !== undefined;
  });
