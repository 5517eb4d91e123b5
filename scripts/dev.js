// @ts-check
/**
 * `npm run dev`: builds and starts, then again after every change of a source file. A build takes
 * two seconds, and what runs is what people get; there is no second way of serving the app.
 */
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { once } from 'node:events';
import { build } from './build.js';
import { fail, install, node, root, say } from './install.js';

/** @type {import('node:child_process').ChildProcess | undefined} */
let server;
/** Set while a build or restart is under way; a change during it makes one more round. */
let busy = false;
let changed = false;

try {
  await install({ development: true });
  await restart();
  for (const folder of ['apps/web', 'packages', 'supabase/migrations', 'examples']) {
    watch(`${root}${folder}`, { recursive: true }, (_, file) => {
      if (file && isSource(file)) void restart();
    });
  }
} catch (error) {
  fail(error);
}

/** @param {string} file */
function isSource(file) {
  return !/(^|\/)(build|\.react-router|node_modules|test)\/|\.tsbuildinfo$/.test(file);
}

async function restart() {
  changed = true;
  if (busy) return;
  busy = true;
  while (changed) {
    changed = false;
    await stop();
    try {
      await build();
      server = spawn(node, [`${root}apps/web/server/run.ts`], { cwd: root, stdio: 'inherit' });
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }
  busy = false;
}

async function stop() {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGINT');
  await exited;
}
