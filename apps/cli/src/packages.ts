/*
 * `npm run packages -- fill LIST | export FILE | import FILE`: manages the package store of this
 * instance from the command line. It may run while the server runs.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  createPackageServer,
  exportStore,
  importStore,
  prefetchPackages,
  readRegistrySettings,
} from '@vitrine/esm';

const root = resolve(import.meta.dirname, '../../..');
const folder = join(resolve(process.env['DATA_DIR'] ?? join(root, 'data')), 'packages');
const tarballHosts = (process.env['TARBALL_HOSTS'] ?? '').split(/[\s,]+/).filter(Boolean);
const [command, file] = process.argv.slice(2);

if (file === undefined) failWithUsage();
else if (command === 'fill') await fill(file);
else if (command === 'export')
  printLine(`Exported ${formatCount(await exportStore(folder, file), 'item')} to ${file}.`);
else if (command === 'import')
  printLine(`Imported ${formatCount(await importStore(folder, file), 'new item')} from ${file}.`);
else failWithUsage();

async function fill(list: string): Promise<void> {
  // No network request uses this origin: the server is called in this process.
  const origin = 'http://vitrine.localhost';
  const server = await createPackageServer({
    folder,
    appOrigins: [origin],
    registry: await readRegistrySettings({ folder: root, env: process.env, tarballHosts }),
    installed: [root],
    log: { info: ignore, warn: printError, error: printError },
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

/** 1, 'item' → "1 item"; 2, 'item' → "2 items" */
function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function failWithUsage(): void {
  printError('Usage: npm run packages -- fill LIST | export FILE | import FILE');
  process.exitCode = 2;
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

function ignore(): void {
  // Successful steps are not logged; each line of the list has one line of output.
}
