// Faults to plant in a repository, and what the doctor says of each.
import { PERMISSIONS } from '../../packages/local-github/src/github/local-github.ts';
import { INSTALLATION, type Case, type DoctorScene } from './doctor-scene.ts';

/** A rule about all branches. `mode`: how the App may bypass it. */
export function ruled(
  { scene }: DoctorScene,
  type: 'creation' | 'required_signatures',
  mode?: 'always' | 'exempt' | 'pull_request',
) {
  const { rulesets } = scene.repository;
  const app = { actor_id: scene.github.appOwner.app.id, actor_type: 'Integration' } as const;
  rulesets.push({
    id: 1,
    name: 'closed',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
    bypass_actors: mode === undefined ? [] : [{ ...app, bypass_mode: mode }],
    rules: [{ type }],
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
  });
  return { undo: () => void rulesets.splice(0) };
}

export const OF_REPOSITORIES: readonly Case[] = [
  {
    fault: 'a label that is missing',
    check: 'label',
    says: /^example\/.* has no label `issuewright` yet/,
    cure: /\/labels.*doctor --fix/,
    plant: (doctor) => {
      const { labels } = doctor.scene.repository;
      const before = labels.splice(0);
      return { undo: () => labels.push(...before) };
    },
  },
  {
    fault: 'a rule that denies branches of sessions',
    check: 'rules',
    says: /restricts new branches/,
    cure: /bypass list|excludes/,
    plant: (doctor) => ruled(doctor, 'creation'),
  },
  {
    fault: 'a rule that the App may bypass only by pull requests',
    check: 'rules',
    says: /restricts new branches/,
    cure: /bypass list|excludes/,
    plant: (doctor) => ruled(doctor, 'creation', 'pull_request'),
  },
  {
    fault: 'signatures that are required of commits that are pushed',
    check: 'rules',
    says: /requires signed commits, and its setting `commits\.publish` is `push`/,
    cure: /Set `commits\.publish` to `auto`/,
    plant: async (doctor) => {
      const before = await doctor.scene.git('rev-parse', 'main');
      await doctor.write('.github/issuewright.yml', 'commits:\n  publish: push\n');
      const { undo } = ruled(doctor, 'required_signatures');
      return {
        undo: async () => {
          undo();
          await doctor.scene.git('update-ref', 'refs/heads/main', before);
        },
      };
    },
  },
  {
    fault: 'an image that the operator does not allow',
    check: 'environments',
    says: /^example\/.*: The operator of Issuewright does not allow the image `docker\.io\/library\/python:3\.12`/,
    cure: /the operator corrects ENVIRONMENT_IMAGES/,
    plant: async (doctor) => {
      const before = await doctor.scene.git('rev-parse', 'main');
      const image = `python:3.12@sha256:${'ab'.repeat(32)}`;
      await doctor.write('.github/issuewright.yml', `environment: { image: '${image}' }\n`);
      return {
        settings: { ENVIRONMENT_IMAGES: 'ghcr.io/acme/*' },
        undo: () => doctor.scene.git('update-ref', 'refs/heads/main', before),
      };
    },
  },
  {
    fault: 'a second App on the same repository',
    check: 'rivals',
    says: /Another App, rival\[bot\], works on issues/,
    cure: /Uninstall one/,
    plant: async (doctor) => {
      const { scene } = doctor;
      const { comments } = scene.repository;
      const issue = scene.maintainer.openIssue(scene.repository, { title: 'A', body: 'B' });
      const author = { id: 9, login: 'rival[bot]', type: 'Bot' as const };
      const now = new Date().toISOString();
      comments.push({
        id: 77,
        issueNumber: issue.number,
        author,
        createdAt: now,
        updatedAt: now,
        reactions: [],
        body: 'Working.\n\n<!-- issuewright:abc:status -->',
      });
      return { undo: () => comments.splice(0) };
    },
  },
  {
    fault: 'a webhook of the repository beside that of the App',
    check: 'rivals',
    says: /has its own webhook/,
    cure: /settings\/hooks/,
    plant: (doctor) => {
      const { installations, appOwner } = doctor.scene.github;
      const { hooks } = doctor.scene.repository;
      installations.grant(INSTALLATION, { ...PERMISSIONS, repository_hooks: 'read' });
      hooks.push({ id: 5, url: appOwner.webhookUrl });
      return {
        undo: () => {
          hooks.splice(0);
          installations.grant(INSTALLATION, PERMISSIONS);
        },
      };
    },
  },
];
