/*
 * `npm run packages -- fill LIST | export FILE | import FILE`: the store of this installation, by
 * hand. It may run beside the server.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { exportStore, importStore } from './archive.ts';
import { fillStore } from './fill.ts';
import { readRegistrySettings } from './registry-settings.ts';
import { createPackageServer } from './server.ts';

const root = resolve(import.meta.dirname, '../../..');
const folder = join(resolve(process.env['DATA_DIR'] ?? join(root, 'data')), 'packages');
const tarballHosts = (process.env['TARBALL_HOSTS'] ?? '').split(/[\s,]+/).filter(Boolean);
const [command, file] = process.argv.slice(2);

if (file === undefined) failWithUsage();
else if (command === 'fill') await fill(file);
else if (command === 'export') say(`Wrote ${await exportStore(folder, file)} things to ${file}.`);
else if (command === 'import') say(`Added ${await importStore(folder, file)} things from ${file}.`);
else failWithUsage();

async function fill(list: string): Promise<void> {
  // No request goes out or comes in under this name: the server is asked in this process.
  const origin = 'http://vitrine.localhost';
  const server = await createPackageServer({
    folder,
    appOrigins: [origin],
    registry: await readRegistrySettings({ folder: root, env: process.env, tarballHosts }),
    installed: [root],
    log: { info: ignore, warn: complain, error: complain },
  });
  try {
    await fillStore(server, origin, await readFile(list, 'utf8'), ({ wish, modules, failures }) => {
      say(`${failures.length === 0 ? 'ready ' : 'FAILED'} ${wish}, ${modules} modules`);
      for (const failure of failures) complain(`       ${failure}`);
      if (failures.length > 0) process.exitCode = 1;
    });
  } finally {
    await server.close();
  }
}

function failWithUsage(): void {
  complain('npm run packages -- fill LIST | export FILE | import FILE');
  process.exitCode = 2;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}

function ignore(): void {
  // What goes well is said once, at the end of each line of the list.
}
