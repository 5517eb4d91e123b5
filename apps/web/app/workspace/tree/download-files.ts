import {
  getMediaType,
  type AssetFile,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import { downloadFile, toFileName } from '../../ui/download.ts';
import { basename } from './file-paths.ts';

interface ZipContent {
  readonly files: ProjectFiles;
  /** Whether these are all files of the project. */
  readonly isProject: boolean;
  /** Folder to put around the files. By default there is none if they have several at the top. */
  readonly folder?: string;
  /** Loads the bytes of an asset. A rejection cancels the download. */
  readonly loadAsset: (asset: AssetFile) => Promise<Blob>;
}

interface Download extends ZipContent {
  /** Title of the project, which names the zip. */
  readonly title: string;
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
  const zip = await createZip(download);
  downloadFile(zip, `${toFileName(download.title, 'project')}.zip`);
}

/**
 * Creates a zip. A project whose files are all in one folder gets another around it, because an
 * import takes a single folder for the project.
 */
export async function createZip(download: ZipContent): Promise<Blob> {
  const { downloadZip } = await import('client-zip');
  const paths = [...download.files.keys()];
  const top = paths[0]?.split('/', 1)[0] ?? '';
  const isInFolder = paths.every((path) => path.startsWith(`${top}/`));
  const folder = download.folder ?? (download.isProject && isInFolder ? 'project' : undefined);
  const prefix = folder === undefined ? '' : `${folder}/`;
  const lastModified = new Date();
  const entries = await Promise.all(
    Array.from(download.files, async ([path, file]) => ({
      name: prefix + path,
      input: await loadContent(file, download),
      lastModified,
    })),
  );
  return downloadZip(entries).blob();
}

async function loadContent(file: ProjectFile, { loadAsset }: ZipContent): Promise<string | Blob> {
  return file.kind === 'text' ? file.text : loadAsset(file);
}
