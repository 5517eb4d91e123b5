import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createPackageServer,
  exportStore,
  importStore,
  prefetchPackages,
  readRegistrySettings,
} from '@vitrine/esm';
import { dataDir, root } from './instance.ts';
import { formatCount, printError, printLine } from './terminal.ts';

/** The package store. It may be changed while the server runs. */
const folder = join(dataDir, 'packages');

export async function exportTo(file: string): Promise<void> {
  printLine(`Exported ${formatCount(await exportStore(folder, file), 'item')} to ${file}.`);
}

export async function importFrom(file: string): Promise<void> {
  printLine(`Imported ${formatCount(await importStore(folder, file), 'new item')} from ${file}.`);
}

/** Prints a line per package of the list. Sets the exit code 1 if one failed. */
export async function fillStore(list: string): Promise<void> {
  const tarballHosts = (process.env['TARBALL_HOSTS'] ?? '').split(/[\s,]+/).filter(Boolean);
  // No network request uses this origin: the server is called in this process.
  const origin = 'http://vitrine.localhost';
  const server = await createPackageServer({
    folder,
    appOrigins: [origin],
    registry: await readRegistrySettings({ folder: root, env: process.env, tarballHosts }),
    installed: [root],
    // Successful steps are not logged: each package has one line of output.
    log: { info() {}, warn: printError, error: printError },
  });
  try {
    await prefetchPackages(
      server,
      origin,
      await readFile(list, 'utf8'),
      ({ spec, modules, failures }) => {
        const outcome = failures.length === 0 ? 'ok    ' : 'FAILED';
        printLine(`${outcome} ${spec}, ${formatCount(modules, 'module')}`);
        for (const failure of failures) printError(`       ${failure}`);
        if (failures.length > 0) process.exitCode = 1;
      },
    );
  } finally {
    await server.close();
  }
}
