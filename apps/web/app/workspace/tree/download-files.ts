import { getMediaType } from '@vitrine/project';
import { downloadFile, toFileName } from '../../ui/download.ts';
import { basename } from './file-paths.ts';

/** Downloads a single file as it is, or several as a zip. */
export async function downloadFiles(
  files: ReadonlyMap<string, string>,
  title: string,
): Promise<void> {
  const [first] = files;
  if (files.size === 1 && first) saveFile(...first);
  else if (files.size > 1) await downloadAsZip(files, title);
}

function saveFile(path: string, text: string): void {
  downloadFile(new Blob([text], { type: getMediaType(path) }), basename(path));
}

/** Downloads files as a zip, even a single one. */
export async function downloadAsZip(
  files: ReadonlyMap<string, string>,
  title: string,
): Promise<void> {
  const { downloadZip } = await import('client-zip');
  const lastModified = new Date();
  const entries = [...files].map(([name, input]) => ({ name, input, lastModified }));
  downloadFile(await downloadZip(entries).blob(), `${toFileName(title, 'project')}.zip`);
}
