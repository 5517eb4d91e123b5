/**
 * Loads and exercises lists of real packages in Chromium, with an initially empty store
 * and the registry of npm's configuration. The popular packages and forty more take about
 * half an hour.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExerciseList } from '../../packages/esm/test/corpus/exercises.ts';

const corpus = fileURLToPath(new URL('../../packages/esm/test/corpus/run.ts', import.meta.url));

/** Prints a line per package. Resolves to whether enough packages of each list passed. */
export async function runLists(lists: readonly ExerciseList[]): Promise<boolean> {
  const store = await mkdtemp(join(tmpdir(), 'vitrine-endure-'));
  try {
    let isRight = true;
    for (const list of lists) isRight = (await runList(list, store)) && isRight;
    return isRight;
  } finally {
    await rm(store, { recursive: true, force: true });
  }
}

async function runList(list: ExerciseList, store: string): Promise<boolean> {
  const run = spawn(process.execPath, [corpus, list, store], { stdio: 'inherit' });
  const [code] = await once(run, 'exit');
  return code === 0;
}
