import { mediaType } from '@vitrine/project';
import { download, fileName } from '../ui/download.ts';
import { nameOf } from './file-names.ts';

/** One file as it is, or several in a zip, under the paths that they have. */
export async function saveFiles(files: ReadonlyMap<string, string>, title: string): Promise<void> {
  const [first] = files;
  if (files.size === 1 && first) saveFile(...first);
  else if (files.size > 1) await saveZip(files, title);
}

function saveFile(path: string, text: string): void {
  download(new Blob([text], { type: mediaType(path) }), nameOf(path));
}

/** A zip of these files, whoever asks for how many. */
export async function saveZip(files: ReadonlyMap<string, string>, title: string): Promise<void> {
  const { downloadZip } = await import('client-zip');
  const lastModified = new Date();
  const entries = [...files].map(([name, input]) => ({ name, input, lastModified }));
  download(await downloadZip(entries).blob(), `${fileName(title, 'project')}.zip`);
}
