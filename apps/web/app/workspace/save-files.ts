import { mediaType } from '@vitrine/project';
import { download, fileName } from '../ui/download.ts';
import { nameOf } from './file-names.ts';

/** Downloads a single file as it is, or several as a zip. */
export async function saveFiles(files: ReadonlyMap<string, string>, title: string): Promise<void> {
  const [first] = files;
  if (files.size === 1 && first) saveFile(...first);
  else if (files.size > 1) await saveZip(files, title);
}

function saveFile(path: string, text: string): void {
  download(new Blob([text], { type: mediaType(path) }), nameOf(path));
}

/** Downloads files as a zip, even a single one. */
export async function saveZip(files: ReadonlyMap<string, string>, title: string): Promise<void> {
  const { downloadZip } = await import('client-zip');
  const lastModified = new Date();
  const entries = [...files].map(([name, input]) => ({ name, input, lastModified }));
  download(await downloadZip(entries).blob(), `${fileName(title, 'project')}.zip`);
}
