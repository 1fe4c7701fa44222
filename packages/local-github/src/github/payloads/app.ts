import type { CheckApp } from '../checks/state.ts';
import { nodeId } from '../state.ts';
import { clientIdOf } from '../user-sign-in.ts';
import type { Installation, World } from '../world.ts';
import { userPayload } from './user.ts';

const CREATED = '2026-01-01T00:00:00Z';

export function appPayload(world: World) {
  const { app } = world;
  return {
    id: app.id,
    client_id: clientIdOf(app),
    slug: app.slug,
    node_id: nodeId('A', app.id),
    owner: userPayload(world, app.bot),
    name: app.name,
    description: null,
    external_url: world.url,
    html_url: `${world.url}/apps/${app.slug}`,
    created_at: CREATED,
    updated_at: CREATED,
    permissions: app.permissions,
    events: [...app.events],
  };
}

/** An App of others that has checks. */
export const foreignAppPayload = (world: World, { id, slug, name }: CheckApp) => ({
  id,
  client_id: `Iv1.local${id}`,
  slug,
  node_id: nodeId('A', id),
  owner: userPayload(world, { id, login: slug, type: 'Organization' }),
  name,
  description: '',
  external_url: world.url,
  html_url: `${world.url}/apps/${slug}`,
  created_at: CREATED,
  updated_at: CREATED,
  permissions: { checks: 'write', metadata: 'read' },
  events: [],
});

export function installationPayload(world: World, installation: Installation) {
  const api = `${world.url}/api/v3`;
  return {
    id: installation.id,
    client_id: clientIdOf(world.app),
    account: userPayload(world, installation.account),
    repository_selection: 'selected',
    access_tokens_url: `${api}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${api}/installation/repositories`,
    html_url: `${world.url}/settings/installations/${installation.id}`,
    app_id: world.app.id,
    app_slug: world.app.slug,
    target_id: installation.account.id,
    target_type: installation.account.type,
    permissions: installation.permissions,
    events: [...(installation.events ?? world.app.events)],
    created_at: installation.createdAt,
    updated_at: installation.createdAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: installation.suspendedAt,
  };
}
