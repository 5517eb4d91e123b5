/*
 * Imports from links. The browser requests no other host: the function `import-project` reads public
 * repositories, gists and files.
 */
import type { SupabaseClient } from '@supabase/supabase-js';
import { isErrorCode, isRecord, VitrineError } from '@vitrine/project';
import { invokeFunction } from '../account/settings/invoke-function.ts';
import { basename } from '../workspace/tree/file-paths.ts';
import { decodeAddress } from './link-request.ts';
import { createPastedProject, type PastedLanguage } from './pasted-code.ts';
import { readPlaygroundLink } from './formats/playground-links.ts';
import type { FoundEntry, LeftOut, ProjectImport } from './imported-project.ts';
import { importFiles, importFound, readImport } from './project-import.ts';
import { listZipEntries, type ZipEntry } from './read-zip.ts';

/** Entry of the function's zip that says where the files came from. It is always the last one. */
const reportPath = '__vitrine/import.json';

/** Where the files of a link came from. */
interface LinkReport {
  /** "OWNER/REPO". Empty for a file. */
  readonly repository: string;
  /** Branch, tag or commit. Empty for the default branch. */
  readonly ref: string;
  /** Path of a folder or file in the repository. Empty for all of it. */
  readonly folder: string;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Reads the project that a link contains or leads to: a folder of a public repository, a gist, a zip
 * or a file. Rejects with a `VitrineError`, among others `link_not_found`, `import_off` and those of
 * `readImport`.
 */
export async function readLink(
  url: URL,
  getClient: () => Promise<SupabaseClient>,
  signal: AbortSignal,
): Promise<ProjectImport> {
  const inLink = await readPlaygroundLink(url);
  if (inLink) return importFiles(inLink, { source: 'from a link', from: url.host });
  const result = await invokeFunction(await getClient(), 'import-project', 'import_failed', {
    body: { link: url.href },
    signal,
  });
  if (result.code !== undefined) throw new VitrineError(result.code, url.host);
  if (!(result.data instanceof Blob)) throw new VitrineError('import_failed', url.host);
  const entries = await listZipEntries(result.data);
  const report = await readReport(entries);
  const files = entries.filter(({ path }) => path !== reportPath);
  const from = describeSource(url, report);
  const { leftOut } = report;
  const [only] = files;
  if (files.length === 1 && only && !only.path.includes('/')) {
    const bytes = await only.read();
    const imported = await importFile(new File([bytes], only.path), signal);
    return { ...imported, from, leftOut: [...leftOut, ...imported.leftOut] };
  }
  return importFound({ name: nameProject(url, report), from, entries: files, leftOut }, signal);
}

/** The folder's name, or the repository's: "birds", "Gist by ann" */
function nameProject({ host }: URL, { repository, folder }: LinkReport): string {
  if (host !== 'gist.github.com') return basename(folder || repository) || host;
  const [owner] = repository.split('/');
  return owner === repository ? 'Gist' : `Gist by ${owner}`;
}

async function readReport(entries: readonly ZipEntry[]): Promise<LinkReport> {
  const bytes = await entries.find(({ path }) => path === reportPath)?.read();
  if (!bytes) throw new VitrineError('import_damaged', 'the report is missing');
  const report: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isRecord(report)) throw new VitrineError('import_damaged', 'the report is invalid');
  const { error, leftOut } = report;
  if (error !== undefined)
    throw new VitrineError(isErrorCode(error) ? error : 'import_failed', JSON.stringify(error));
  return {
    repository: String(report['repository']),
    ref: String(report['ref']),
    folder: String(report['folder']),
    leftOut: Array.isArray(leftOut) ? leftOut.flatMap(parseLeftOut) : [],
  };
}

function parseLeftOut(item: unknown): LeftOut[] {
  if (!isRecord(item) || typeof item['path'] !== 'string') return [];
  const { path, reason, count } = item;
  const isKnown = reason === 'link' || reason === 'dependencies' || isErrorCode(reason);
  if (!isKnown) return [];
  return [{ path, reason, ...(typeof count === 'number' && { count }) }];
}

/** "demo in github.com/ann/birds at main", "example.org/a.js" */
function describeSource(url: URL, { repository, ref, folder }: LinkReport): string {
  if (repository === '') return decodeAddress(url.host + url.pathname);
  const place = `${url.host}/${repository}${ref === '' ? '' : ` at ${ref}`}`;
  return folder === '' ? place : `${folder} in ${place}`;
}

const languages: ReadonlyMap<string, PastedLanguage> = new Map([
  ['css', 'CSS'],
  ['js', 'JavaScript'],
  ['mjs', 'JavaScript'],
  ['ts', 'TypeScript'],
  ['jsx', 'JSX'],
  ['tsx', 'TSX'],
  ['vue', 'Vue'],
  ['svelte', 'Svelte'],
]);

/** A zip's files, or a file with what runs it. */
async function importFile(file: File, signal: AbortSignal): Promise<ProjectImport> {
  const imported = await readImport({ entries: [], files: [file] }, signal);
  const language = languages.get(/\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? '');
  const bytes = await file.arrayBuffer();
  const code = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const pasted = language && createPastedProject(code, language);
  // Other bytes than UTF-8 stay as they are, in an asset.
  if (!pasted || code.includes('\uFFFD')) return imported;
  const entries = Array.from(pasted.files, ([path, text]): FoundEntry => {
    const bytes = new TextEncoder().encode(text);
    return { path, size: bytes.length, read: async () => bytes };
  });
  const title = imported.title.replace(/\.\w+$/, '');
  return { ...(await importFound({ name: file.name, entries, leftOut: [] }, signal)), title };
}
