import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataDir, withDatabase } from '../instance.ts';
import { CommandError, formatCount, printLine } from '../terminal.ts';
import { exportData } from './export-data.ts';
import { uploadObjects } from './upload-objects.ts';

export async function exportInstanceData(folder: string): Promise<void> {
  const storageDir = join(dataDir, 'storage');
  const { rows, objects } = await withDatabase((database) =>
    exportData({ database, storageDir }, folder),
  );
  printLine(
    `Exported ${formatCount(rows, 'row')} and ${formatCount(objects, 'file')} to ${folder}.`,
  );
}

export async function uploadFrom(folder: string): Promise<void> {
  const { SUPABASE_URL: url, SUPABASE_SECRET_KEY: secretKey } = process.env;
  if (!url || !secretKey)
    throw new CommandError('Set SUPABASE_URL and SUPABASE_SECRET_KEY.', { exitCode: 2 });
  const file = join(folder, 'owners.sql');
  await writeFile(file, await uploadObjects(folder, { url, secretKey }));
  printLine(`Uploaded. Next, run: psql "$HOSTED_URL" -f ${file}`);
}
