// The shipped program in the network of a company: no name but the proxy's can be looked up, and every server has a certificate
// of the company's own authority. What is not sent through the proxy, or does not trust the authority, fails.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceProcess } from '../../packages/local-github/src/service-process.ts';
import { ADDS, ByHandScene } from '../commands/by-hand-scene.ts';
import { startModernServer } from '../mcp/modern-server.ts';
import { canCertify } from '../support/certificates.ts';
import { openCompanyNetwork, PROXY_USER, type CompanyNetwork } from '../support/company-network.ts';
import { EventProxy } from '../support/event-proxy.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { Scene } from './scene.ts';

const { name, password } = PROXY_USER;
/** In all forms in which they are sent. */
const SECRETS = [password, encodeURIComponent(password), btoa(`${name}:${password}`)];

(canCertify ? describe : describe.skip)('behind the proxy of a company', () => {
  let company: CompanyNetwork;
  beforeAll(async () => {
    company = await openCompanyNetwork();
  });
  afterAll(() => company.close());

  describe('a service', () => {
    let scene: Scene;
    let service: ServiceProcess;
    let mcp: Awaited<ReturnType<typeof startModernServer>>;
    let collector: OtlpReceiver;
    let events: EventProxy;
    let receiver: Server;
    const told: unknown[] = [];
    let settings: Record<string, string>;

    const until = (what: string, predicate: () => boolean) =>
      scene.github.waitFor(predicate, {
        what: () => `${what}\n${service.log}`,
        timeoutMs: PATIENCE_MS,
        everyMs: 200,
      });

    beforeAll(async () => {
      scene = await Scene.open({ scripts: [{ turns: ADDS }] });
      await scene.stop();
      mcp = await startModernServer();
      collector = await startOtlpReceiver();
      events = await EventProxy.open();
      receiver = createServer((request, response) => {
        void json(request).then((body) => {
          told.push(body);
          response.end();
        });
      });
      receiver.listen(0, '127.0.0.1');
      await once(receiver, 'listening');
      const { port } = receiver.address() as AddressInfo;
      settings = {
        ...scene.stage.environment,
        HTTPS_PROXY: company.proxy,
        NODE_EXTRA_CA_CERTS: company.authority,
        LOG_LEVEL: 'trace',
        GHE_HOST: company.lead('github', scene.github.url),
        GHE_PROTOCOL: 'https',
        OPENAI_BASE_URL: `https://${company.lead('model', scene.stage.model.url)}/v1`,
        MCP_SERVERS: JSON.stringify({
          new: { url: `https://${company.lead('mcp', mcp.url)}/mcp` },
        }),
        OTEL_EXPORTER_OTLP_ENDPOINT: `https://${company.lead('collector', collector.url)}`,
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
        NOTIFY_URL: `https://${company.lead('notify', `http://127.0.0.1:${port}`)}/hook`,
      };
      const tunnel = `https://${company.lead('events', events.url)}/channel`;
      service = ServiceProcess.spawn(settings, 'start', ['--tunnel', tunnel]);
      await service.untilReady();
      await events.untilConnected(1);
      await until('the tunnel', () => scene.github.appOwner.webhookUrl === tunnel);
      scene.github.appOwner.webhookUrl = events.url;
    });
    afterAll(async () => {
      await service.stop();
      receiver.closeAllConnections();
      receiver.close();
      events.close();
      await collector.close();
      await mcp.close();
      await scene.close();
    });

    it('sends every request through it: GitHub, git, models, MCP, telemetry, notifications, events', async () => {
      const wrong = scene.stage.model.distortions.add({
        how: { kind: 'replaced', status: 401, body: { error: { message: 'bad key' } } },
        matches: () => true,
        times: Infinity,
      });
      scene.ask('Add a word', 'Write a word.');
      await until('the news', () => told.length > 0);
      wrong.end();
      scene.ask('Add a greeting', 'Write hi.txt.');
      await until('the pull request', () => scene.pulls().length > 0);
      await until('metrics', () => collector.metrics.size > 0);
      expect(company.hosts()).toEqual(
        ['collector', 'events', 'github', 'mcp', 'model', 'notify'].map(
          (of) => `${of}.company.example`,
        ),
      );
    });

    it('is examined through it, if only `.env` names it and the authority', async () => {
      const { HTTPS_PROXY, NODE_EXTRA_CA_CERTS, ...environment } = settings;
      const directory = temporaryDirectory();
      const lines = [`HTTPS_PROXY=${HTTPS_PROXY}`, `NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS}`];
      writeFileSync(join(directory, '.env'), lines.join('\n'), { mode: 0o600 });
      const { stdout, stderr } = await runProgram(['doctor', '--json'], { directory, environment });
      const { findings } = JSON.parse(stdout) as { findings: { check: string; state: string }[] };
      const stateOf = (check: string) => findings.find((one) => one.check === check)?.state;
      expect([stderr, stateOf('settings'), stateOf('app')]).toEqual(['', 'ok', 'ok']);
      for (const secret of SECRETS) expect(stdout).not.toContain(secret);
    });

    it('shows the password of the proxy nowhere', () => {
      const shown = [service.log, JSON.stringify(told), JSON.stringify(scene.repository.comments)];
      for (const secret of SECRETS) expect(shown.join('\n')).not.toContain(secret);
    });
  });

  describe.each(['native', 'isomorphic'])('a run by hand with the %s engine', (engine) => {
    let scene: ByHandScene;
    beforeAll(async () => {
      scene = await ByHandScene.open();
    });
    afterAll(() => scene.close());

    it('fetches and pushes through it, in lower-case variables too', async () => {
      const issue = scene.openIssue();
      const GHE_HOST = company.lead(`github-${engine}`, scene.github.url);
      const environment = await scene.environment([{ turns: ADDS }], {
        GHE_HOST,
        GHE_PROTOCOL: 'https',
        GIT_ENGINE: engine,
        https_proxy: company.proxy,
        NODE_EXTRA_CA_CERTS: company.authority,
      });
      const from = company.asked.length;
      const { stderr, stdout } = await scene.runWith(
        [`https://${GHE_HOST}/${scene.repository.fullName}/issues/${issue.number}`, '--yes'],
        environment,
      );
      expect([stderr, scene.pulls.length]).toEqual([expect.any(String), 1]);
      // The model is on this machine.
      expect(company.hosts(from)).toEqual([GHE_HOST]);
      for (const secret of SECRETS) expect(stdout + stderr).not.toContain(secret);
    });
  });
});
