// Loaded into the service of the bench: writes how late its event loop is, in milliseconds, once a second.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env.LOOP_DELAY_FILE;
if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const ms = (nanoseconds) => nanoseconds / 1e6;
  setInterval(() => {
    const worst = ms(delay.max);
    const late = { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), worst };
    writeFileSync(`${file}.new`, JSON.stringify(late));
    renameSync(`${file}.new`, file);
  }, 1000).unref();
}
