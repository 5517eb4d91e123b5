import { join } from 'node:path';
import { loadSecrets } from '@vitrine/backend';
import {
  assertInstance,
  dataDir,
  findExternalDatabase,
  log,
  migrationsDir,
  withDatabase,
} from '../instance.ts';
import { formatCount, printLine } from '../terminal.ts';
import { createBackup } from './create-backup.ts';
import type { BackupManifest } from './manifest.ts';
import { restoreBackup } from './restore-backup.ts';

export async function backUp(to: string): Promise<void> {
  assertInstance();
  const secrets = await loadSecrets(dataDir);
  const storageDir = join(dataDir, 'storage');
  const manifest = await withDatabase((database) =>
    createBackup({ database, storageDir, secrets }, to, log),
  );
  printSummary('Backed up', manifest);
}

export async function restore(from: string): Promise<void> {
  const target = { dataDir, database: findExternalDatabase(), migrationsDir };
  printSummary('Restored', await restoreBackup(from, target, log));
}

function printSummary(done: string, { tables, files }: BackupManifest): void {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const tableCount = formatCount(tables.length, 'table');
  const fileCount = formatCount(files.count, 'file');
  printLine(`${done} ${formatCount(rows, 'row')} in ${tableCount} and ${fileCount}.`);
}
