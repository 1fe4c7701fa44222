// A process with the settings of a network in its environment. It makes requests to an address in every way that the program
// knows, and says what git is told.
import http from 'node:http';
import https from 'node:https';
import { isMainThread } from 'node:worker_threads';
import { useNetworkSettings } from '../../src/config.ts';
import { newAgent, variablesForProxy } from '../../src/lib/network.ts';
import { serveTasks, startWorkerThread } from '../../src/lib/threads/task-thread.ts';

const url = new URL(process.env['ADDRESS'] ?? process.argv[2] ?? '');

const get = (agent: http.Agent | undefined): Promise<unknown> =>
  new Promise((resolve) => {
    const { request } = url.protocol === 'http:' ? http : https;
    request(url, agent === undefined ? {} : { agent }, resolve)
      .on('error', resolve)
      .end();
  });

async function ask(): Promise<void> {
  await fetch(url).catch(() => {});
  await get(newAgent(url));
  await get(undefined);
}

if (isMainThread) {
  useNetworkSettings(process.env);
  await ask();
  const worker = startWorkerThread(new URL(import.meta.url), { env: { ADDRESS: url.href } });
  await new Promise((resolve) => {
    worker.on('message', (message: object) => {
      if ('started' in message) worker.postMessage('ask');
      else resolve(undefined);
    });
  });
  const isTold = Object.keys(variablesForProxy(url)).length > 0;
  process.stdout.write(isTold ? 'git too\n' : 'git directly\n');
  process.exit();
} else
  serveTasks(async function* () {
    yield await ask();
  });
