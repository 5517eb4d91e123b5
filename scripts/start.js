// @ts-check
/** `npm start`: installs, builds and starts the server. */
import { spawn } from 'node:child_process';
import { build } from './build.js';
import { fail, install, node, root } from './install.js';

try {
  await install({ development: false });
  await build();
  const server = `${root}apps/web/server/run.ts`;
  // Once installed, npm runs this script on the project's Node, so no second process is needed.
  if (Number(process.versions.node.split('.')[0]) >= 24) await import(server);
  else serve(server);
} catch (error) {
  fail(error);
}

/** @param {string} server */
function serve(server) {
  const child = spawn(node, [server], { cwd: root, stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes; a supervisor sends SIGTERM only to this one.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (signal !== 'SIGINT') child.kill(signal);
    });
  }
  child.once('exit', (code) => process.exit(code ?? 1));
}
