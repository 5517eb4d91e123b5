// @ts-check
/** `npm start`: installs, builds and starts the server, and starts it again when it ends unexpectedly. */
import { build } from './build.js';
import { fail, install } from './install.js';
import { supervise } from './supervise.js';

try {
  await install({ development: false });
  await build();
  await supervise(new URL('../apps/web/server/run.ts', import.meta.url));
} catch (error) {
  fail(error);
}
