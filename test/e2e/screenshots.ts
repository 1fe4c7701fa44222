// Takes the pictures of the README: `node test/e2e/screenshots.ts`. Plays the demo's story and looks
// at its pages; wants chromium, and an emoji font to look good.
import { chromium, type Browser } from 'playwright-core';
import { Scene } from './scene.ts';

const TARGET = 'docs/images';

async function shoot(browser: Browser, name: string, url: string, height: number): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1100, height }, deviceScaleFactor: 1.5 });
  await page.goto(url);
  await page.screenshot({ path: `${TARGET}/${name}.png` });
  await page.close();
}

const scene = await Scene.open();
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  chromiumSandbox: false,
});
try {
  const { issue, pull } = await scene.play();
  const repository = `${scene.github.url}/${scene.repository.fullName}`;
  const status = scene.comments(issue).find(({ body }) => body.includes(':status -->'));
  const session = /\/sessions\/(\w+)/.exec(status?.body ?? '')?.[1] ?? '';
  await shoot(browser, 'issue', `${repository}/issues/${issue.number}`, 1150);
  await shoot(browser, 'pull-request', `${repository}/pull/${pull.number}`, 1400);
  await shoot(browser, 'session', `${scene.stage.serviceUrl}/sessions/${session}`, 1200);
} finally {
  await browser.close();
  await scene.close();
}
