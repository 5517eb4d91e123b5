/** The product as started by `npm start`, with a new data folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BenchUnavailableError } from '../bench.ts';

export interface BenchServer {
  readonly address: string;
  readonly dataDir: string;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Starts the product with these settings. Throws `BenchUnavailableError` if the app isn't built. */
export async function startWorkspace(
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vitrine-bench-'));
  // If started by root, PostgreSQL runs as another user, who needs access to the folder.
  await chmod(dataDir, 0o711);
  const child = spawn(process.execPath, [join(root, 'apps/web/server/run.ts')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', DATA_DIR: dataDir, ...settings },
  });
  const close = async () => {
    if (child.exitCode === null) {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
    await rm(dataDir, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /^Vitrine is ready at (\S+)$/.exec(line)?.[1];
    if (address !== undefined) return { address, dataDir, close };
  }
  await close();
  throw new BenchUnavailableError('The app didn’t start. Run `npm start` once to build it.');
}
