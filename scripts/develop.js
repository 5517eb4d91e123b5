// @ts-check
/**
 * `node scripts/develop.js PROGRAM ARGUMENT…`: runs a program that needs development packages,
 * browsers and a build, and installs those if missing. Exits with the program's exit code.
 */
import { spawn } from 'node:child_process';
import { ensureBrowsers } from './browsers.js';
import { build } from './build.js';
import { fail, install, node, root } from './install.js';

try {
  await install({ development: true });
  await ensureBrowsers();
  await build();
} catch (error) {
  fail(error);
}
spawn(node, process.argv.slice(2), { cwd: root, stdio: 'inherit' }).once('exit', (code) =>
  process.exit(code ?? 1),
);
