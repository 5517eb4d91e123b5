// @ts-check
/** `npm start`: installs, builds and starts the server. */
import { build } from './build.js';
import { fail, install, root, runProgram } from './install.js';

try {
  await install({ development: false });
  await build();
  await runProgram(new URL('../apps/web/server/run.ts', import.meta.url), root);
} catch (error) {
  fail(error);
}
