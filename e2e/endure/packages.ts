/**
 * The popular packages and the forty chosen beside them, each loaded and exercised in Chromium, from
 * a store that is empty at first and the registry of npm's settings. Takes about half an hour.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const corpus = fileURLToPath(new URL('../../packages/esm/test/corpus/run.ts', import.meta.url));

/** True when as many pass as each list asks for; a line for each package is printed. */
export async function runPackages(): Promise<boolean> {
  const store = await mkdtemp(join(tmpdir(), 'vitrine-endure-'));
  try {
    const popular = await runList('popular', store);
    const fresh = await runList('fresh', store);
    return popular && fresh;
  } finally {
    await rm(store, { recursive: true, force: true });
  }
}

async function runList(list: string, store: string): Promise<boolean> {
  const run = spawn(process.execPath, [corpus, list, store], { stdio: 'inherit' });
  const [code] = await once(run, 'exit');
  return code === 0;
}
