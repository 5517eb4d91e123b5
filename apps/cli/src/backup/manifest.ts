import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../terminal.ts';
import type { SequenceValue, TableColumns } from './tables.ts';

/**
 * Contents of a backup. It is stored as `manifest.json` in the directory, next to:
 *
 *   rows/NUMBER.copy   the rows of a table, in PostgreSQL's COPY text format
 *   files/VERSION      the contents of a storage object
 *   secrets.json       the keys and passwords of the instance
 *
 * The field names are stored on disk.
 */
export interface BackupManifest {
  /** Version of the backup's format. */
  form: 1;
  /** Time of the backup, as an ISO 8601 date. */
  madeAt: string;
  /** Major version of the PostgreSQL server. Any other version can read the rows. */
  postgres: number;
  /** Versions of the migrations that were applied. */
  migrations: string[];
  tables: BackupTable[];
  sequences: SequenceValue[];
  files: { count: number; bytes: number };
}

export interface BackupTable extends TableColumns {
  file: string;
  rows: number;
  sha256: string;
}

/** Throws a CommandError when `folder` does not contain a backup. */
export async function readBackupManifest(folder: string): Promise<BackupManifest> {
  const createInvalidError = (cause: unknown) =>
    new CommandError(`${folder} isn’t a Vitrine backup: its manifest.json can’t be read.`, {
      cause,
    });
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  } catch (error) {
    throw createInvalidError(error);
  }
  if (!isManifest(manifest)) throw createInvalidError(undefined);
  return manifest;
}

function isManifest(value: unknown): value is BackupManifest {
  if (typeof value !== 'object' || value === null) return false;
  if (!('form' in value && value.form === 1 && 'postgres' in value)) return false;
  return (
    'migrations' in value &&
    isArrayOf(value.migrations, (version) => typeof version === 'string') &&
    'tables' in value &&
    isArrayOf(value.tables, isBackupTable) &&
    'sequences' in value &&
    isArrayOf(value.sequences, (sequence) =>
      hasStringFields(sequence, ['schema', 'name', 'last']),
    ) &&
    'files' in value
  );
}

function isBackupTable(value: unknown): boolean {
  return (
    hasStringFields(value, ['schema', 'name', 'file', 'sha256']) &&
    'columns' in value &&
    isArrayOf(value.columns, (column) => typeof column === 'string') &&
    /^rows\/\d+\.copy$/.test(String('file' in value && value.file))
  );
}

function isArrayOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function hasStringFields(value: unknown, names: string[]): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'string');
}
