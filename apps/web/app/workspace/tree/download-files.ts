import {
  getMediaType,
  type AssetFile,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import { downloadFile, toFileName } from '../../ui/download.ts';
import { basename } from './file-paths.ts';

interface Download {
  readonly files: ProjectFiles;
  /** Title of the project, which names the zip. */
  readonly title: string;
  /** Loads the bytes of an asset. A rejection cancels the download. */
  readonly loadAsset: (asset: AssetFile) => Promise<Blob>;
}

/** Downloads a single file as it is, or several as a zip. */
export async function downloadFiles(download: Download): Promise<void> {
  const [first] = download.files;
  if (download.files.size > 1) return downloadAsZip(download);
  if (!first) return;
  const [path, file] = first;
  const content = await loadContent(file, download);
  const type = file.kind === 'asset' ? file.mediaType : getMediaType(path);
  downloadFile(new Blob([content], { type }), basename(path));
}

/** Downloads files as a zip, even a single one. */
export async function downloadAsZip(download: Download): Promise<void> {
  const { downloadZip } = await import('client-zip');
  const { files, title } = download;
  const lastModified = new Date();
  const entries = await Promise.all(
    Array.from(files, async ([name, file]) => ({
      name,
      input: await loadContent(file, download),
      lastModified,
    })),
  );
  downloadFile(await downloadZip(entries).blob(), `${toFileName(title, 'project')}.zip`);
}

async function loadContent(file: ProjectFile, { loadAsset }: Download): Promise<string | Blob> {
  return file.kind === 'text' ? file.text : loadAsset(file);
}
