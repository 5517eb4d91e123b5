import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { PackageServerFixture } from './package-server-fixture.ts';

const joiner = fileURLToPath(new URL('./group-bundler-process.ts', import.meta.url));

export interface BundlingKills {
  readonly lock: string;
  /** Base URL of the package whose group is bundled. */
  readonly base: string;
  /** Number of built packages at which a process is killed, for each process. */
  readonly builtAt: readonly number[];
  /** The one file of the bundle, which must be complete. */
  readonly joined: string;
}

/** Kills one process after another that bundles a group, then serves what they left. */
export async function killWhileBundling(
  fixture: PackageServerFixture,
  { lock, base, builtAt, joined }: BundlingKills,
): Promise<(path: string) => Promise<Response>> {
  const folder = join(fixture.folder, 'killed');
  const lockFile = join(fixture.folder, 'lock.json');
  await writeFile(lockFile, lock);
  for (const built of builtAt) {
    const args = [joiner, folder, fixture.registry.address, lockFile, base];
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    const ended = once(child, 'exit');
    const count = async () => (await readdir(join(folder, 'built')).catch(() => [])).length;
    await expect.poll(count, { timeout: 40_000 }).toBeGreaterThanOrEqual(built);
    child.kill('SIGKILL');
    await ended;
    for (const name of await readdir(join(folder, 'joined')).catch(() => [])) {
      const manifest = await readFile(join(folder, 'joined', name, 'manifest.json'), 'utf8');
      expect(Object.keys(JSON.parse(manifest).files)).toEqual([joined]);
    }
  }
  const again = await fixture.again({ folder });
  await again.register(lock);
  return async (path) =>
    (await again.fetch(new Request(`http://vitrine.localhost${path}`))) ?? new Response();
}
