import { buildScripts } from '../../src/server/scripts.ts';
import { buildTestScripts } from '../../src/server/test-scripts.ts';
import { buildAppScripts } from './app-server.ts';
import { buildFrameworks } from './frameworks.ts';
import { scriptsFolder } from './scripts-folder.ts';

/** Vitest global setup: builds all scripts, so that no test waits for that. */
export async function setup(): Promise<void> {
  await Promise.all([
    buildAppScripts(),
    buildFrameworks(),
    buildScripts([], scriptsFolder),
    buildTestScripts([], scriptsFolder),
  ]);
}
