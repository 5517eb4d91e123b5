import { buildScripts } from '../../src/server/scripts.ts';
import { buildTestScripts } from '../../src/server/test-scripts.ts';
import { buildAppScripts } from './app-server.ts';
import { buildFrameworks } from './frameworks.ts';
import { scriptsFolder } from './scripts-folder.ts';

/** Vitest calls it before the tests: what their pages load is built, and no test waits for that. */
export async function setup(): Promise<void> {
  await Promise.all([
    buildAppScripts(),
    buildFrameworks(),
    buildScripts([], scriptsFolder),
    buildTestScripts([], scriptsFolder),
  ]);
}
