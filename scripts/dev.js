// @ts-check
/**
 * `npm run dev`: builds and starts the app, and again after every change of a source file. A build
 * takes seconds, and this way development runs exactly what users get. The server that runs stays
 * until the build is done.
 */
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { once } from 'node:events';
import { build } from './build.js';
import { fail, install, node, root, say } from './install.js';

/** @type {import('node:child_process').ChildProcess | undefined} */
let server;
/** True during a build or restart. A change meanwhile causes another one. */
let isBusy = false;
let hasChanged = false;

try {
  await install({ development: true });
  await restart();
  for (const folder of ['apps/web', 'packages', 'supabase/migrations', 'examples']) {
    watch(`${root}${folder}`, { recursive: true }, (_, file) => {
      if (!file || !isSource(file)) return;
      if (!hasChanged) say(`Changed: ${folder}/${file}`);
      void restart();
    });
  }
} catch (error) {
  fail(error);
}

/** @param {string} file */
function isSource(file) {
  return !/(^|\/)(build|\.react-router|node_modules|test)(\/|$)|\.tsbuildinfo$/.test(file);
}

async function restart() {
  hasChanged = true;
  if (isBusy) return;
  isBusy = true;
  while (hasChanged) {
    hasChanged = false;
    try {
      await build();
      await stop();
      server = spawn(node, [`${root}apps/web/server/run.ts`], { cwd: root, stdio: 'inherit' });
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }
  isBusy = false;
}

async function stop() {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGINT');
  await exited;
}
