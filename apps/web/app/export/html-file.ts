import { listFullExportUrls, type PackageLicense } from '@vitrine/esm/messages';
import {
  createSingleFile,
  type SingleFile,
  type SingleFileProgress,
} from '@vitrine/sandbox/single-file';
import { createPackageApi } from '../packages/package-api.ts';
import type { ExportedProject } from './exported-project.ts';

interface HtmlFileOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: SingleFileProgress) => void;
}

/** Writes a project as one HTML file. Rejects as `createSingleFile` does. */
export async function createHtmlFile(
  { title, files, loadAsset }: ExportedProject,
  options: HtmlFileOptions,
): Promise<SingleFile> {
  const api = createPackageApi();
  const lockfile = files.get('package-lock.json');
  const lock = lockfile?.kind === 'text' ? lockfile.text : undefined;
  const packages = lock === undefined ? [] : await api.register(lock);
  return createSingleFile({
    title,
    files,
    loadAsset,
    fullExportUrls: new Set(listFullExportUrls(packages)),
    loadLicenses: async (signal) =>
      lock === undefined ? '' : formatLicenses(await api.getLicenses(lock, signal)),
    ...options,
  });
}

function formatLicenses(licenses: readonly PackageLicense[]): string {
  return licenses
    .map(({ name, version, license, text }) =>
      `${name}@${version}${license === '' ? '' : ` (${license})`}\n\n${text}`.trim(),
    )
    .join(`\n\n${'-'.repeat(72)}\n\n`);
}
